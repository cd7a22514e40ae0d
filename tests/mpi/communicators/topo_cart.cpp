// SPDX-License-Identifier: BSD-3-Clause
// Cartesian topologies: dimensions, coordinates, neighbours, subgrids, left-over processes, and reordering.
#include <algorithm>
#include <array>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

void dimensions() {
  std::array<int, 3> dims = {0, 0, 0};
  CHECK_EQ(MPI_Dims_create(12, 3, dims.data()), MPI_SUCCESS);
  CHECK(dims == (std::array<int, 3>{3, 2, 2}));
  dims = {0, 3, 0};
  CHECK_EQ(MPI_Dims_create(24, 3, dims.data()), MPI_SUCCESS);
  CHECK(dims == (std::array<int, 3>{4, 3, 2}));
  dims = {0, 5, 0};
  CHECK_EQ(MPI_Dims_create(24, 3, dims.data()), MPI_ERR_DIMS);
  dims = {0, -1, 0};
  CHECK_EQ(MPI_Dims_create(24, 3, dims.data()), MPI_ERR_DIMS);
  CHECK_EQ(MPI_Dims_create(0, 3, dims.data()), MPI_ERR_ARG);
  CHECK_EQ(MPI_Dims_create(1, 0, nullptr), MPI_SUCCESS);
}

// Every process knows the same grid; coordinates and ranks are each other's inverse.
void expect_grid(MPI_Comm comm, const std::vector<int>& dims, const std::vector<int>& periods) {
  int kind = -1, count = -1, rank = -1;
  CHECK_EQ(MPI_Topo_test(comm, &kind), MPI_SUCCESS);
  CHECK_EQ(kind, MPI_CART);
  CHECK_EQ(MPI_Cartdim_get(comm, &count), MPI_SUCCESS);
  if (!CHECK_EQ(static_cast<std::size_t>(count), dims.size())) return;
  std::array<int, 3> got{}, periodic{}, here{}, there{};
  CHECK_EQ(MPI_Cart_get(comm, count, got.data(), periodic.data(), here.data()), MPI_SUCCESS);
  CHECK(std::equal(dims.begin(), dims.end(), got.begin()));
  CHECK(std::equal(periods.begin(), periods.end(), periodic.begin()));
  MPI_Comm_rank(comm, &rank);
  CHECK_EQ(MPI_Cart_coords(comm, rank, count, there.data()), MPI_SUCCESS);
  CHECK(here == there);
  int back = -1;
  CHECK_EQ(MPI_Cart_rank(comm, here.data(), &back), MPI_SUCCESS);
  CHECK_EQ(back, rank);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    there = here;
    there[d] += 7 * dims[d];
    CHECK_EQ(MPI_Cart_rank(comm, there.data(), &back), periods[d] != 0 ? MPI_SUCCESS : MPI_ERR_ARG);
    if (periods[d] != 0) CHECK_EQ(back, rank);
  }
}

// Each sends its rank on; what arrives must be what MPI_Cart_shift says.
void expect_shifts(MPI_Comm comm, int dims) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  for (int direction = 0; direction < dims; ++direction) {
    for (const int distance : {1, -1, 2, 0, -5}) {
      int source = -1, dest = -1, told = MPI_PROC_NULL;
      CHECK_EQ(MPI_Cart_shift(comm, direction, distance, &source, &dest), MPI_SUCCESS);
      CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, dest, 3, &told, 1, MPI_INT, source, 3, comm, MPI_STATUS_IGNORE),
               MPI_SUCCESS);
      CHECK_EQ(told, source);
    }
  }
}

// The rank that MPI_Cart_map tells is that of a communicator which may be reordered.
void expect_mapped(MPI_Comm comm, const std::vector<int>& dims, const std::vector<int>& periods) {
  int place = -2, rank = -1;
  CHECK_EQ(MPI_Cart_map(world, 2, dims.data(), periods.data(), &place), MPI_SUCCESS);
  MPI_Comm_rank(comm, &rank);
  CHECK_EQ(place, rank);
}

void grids(bool reorder) {
  for (const std::vector<int>& periods : {std::vector<int>{0, 0}, {1, 0}, {1, 1}}) {
    std::vector<int> dims = {0, 0};
    MPI_Dims_create(check::size, 2, dims.data());
    MPI_Comm comm;
    CHECK_EQ(MPI_Cart_create(world, 2, dims.data(), periods.data(), reorder ? 1 : 0, &comm), MPI_SUCCESS);
    if (reorder) expect_mapped(comm, dims, periods);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    expect_grid(comm, dims, periods);
    expect_shifts(comm, 2);
    MPI_Comm duplicate, row;
    CHECK_EQ(MPI_Comm_dup(comm, &duplicate), MPI_SUCCESS);
    expect_grid(duplicate, dims, periods);
    const std::array<int, 2> only_the_second = {0, 1};
    CHECK_EQ(MPI_Cart_sub(comm, only_the_second.data(), &row), MPI_SUCCESS);
    MPI_Comm_set_errhandler(row, MPI_ERRORS_RETURN);
    expect_grid(row, {dims[1]}, {periods[1]});
    expect_shifts(row, 1);
    for (MPI_Comm* const each : {&row, &duplicate, &comm}) CHECK_EQ(MPI_Comm_free(each), MPI_SUCCESS);
  }
}

// A process that is left over has no place in a ring.
void expect_mapped_ring(int length) {
  const int periodic = 1;
  MPI_Comm comm;
  CHECK_EQ(MPI_Cart_create(world, 1, &length, &periodic, 1, &comm), MPI_SUCCESS);
  int place = -2, rank = MPI_UNDEFINED;
  CHECK_EQ(MPI_Cart_map(world, 1, &length, &periodic, &place), MPI_SUCCESS);
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_free(&comm);
  }
  CHECK_EQ(place, rank);
}

// A grid smaller than the world, and one without dimensions.
void left_over() {
  const std::array<int, 1> dims = {check::size > 1 ? check::size - 1 : 1}, periods = {1};
  MPI_Comm comm;
  CHECK_EQ(MPI_Cart_create(world, 1, dims.data(), periods.data(), 0, &comm), MPI_SUCCESS);
  CHECK_EQ(comm == MPI_COMM_NULL, check::rank >= dims[0]);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);

  CHECK_EQ(MPI_Cart_create(world, 0, nullptr, nullptr, 0, &comm), MPI_SUCCESS);
  CHECK_EQ(comm == MPI_COMM_NULL, check::rank != 0);
  if (comm == MPI_COMM_NULL) return;
  int count = -1, rank = -1;
  CHECK_EQ(MPI_Cartdim_get(comm, &count), MPI_SUCCESS);
  CHECK_EQ(count, 0);
  CHECK_EQ(MPI_Cart_rank(comm, nullptr, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, 0);
  MPI_Comm_free(&comm);
}

void wrong() {
  MPI_Comm comm;
  int dims[2] = {check::size + 1, 1}, periods[2] = {0, 0}, value = -1;
  CHECK_EQ(MPI_Cart_create(world, 2, dims, periods, 0, &comm), MPI_ERR_DIMS);
  dims[0] = 0;
  CHECK_EQ(MPI_Cart_create(world, 2, dims, periods, 0, &comm), MPI_ERR_DIMS);
  CHECK_EQ(MPI_Cart_create(world, -1, dims, periods, 0, &comm), MPI_ERR_ARG);
  CHECK_EQ(MPI_Cartdim_get(world, &value), MPI_ERR_TOPOLOGY);
  CHECK_EQ(MPI_Topo_test(world, &value), MPI_SUCCESS);
  CHECK_EQ(value, MPI_UNDEFINED);
  dims[0] = check::size;
  CHECK_EQ(MPI_Cart_create(world, 2, dims, periods, 0, &comm), MPI_SUCCESS);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int source, dest, coords[2];
  CHECK_EQ(MPI_Cart_shift(comm, 2, 1, &source, &dest), MPI_ERR_DIMS);
  CHECK_EQ(MPI_Cart_shift(comm, -1, 1, &source, &dest), MPI_ERR_DIMS);
  CHECK_EQ(MPI_Cart_coords(comm, check::size, 2, coords), MPI_ERR_RANK);
  CHECK_EQ(MPI_Cart_coords(comm, 0, 1, coords), MPI_ERR_DIMS);
  CHECK_EQ(MPI_Graphdims_get(comm, &source, &dest), MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  dimensions();
  grids(false);
  grids(true);
  expect_mapped_ring(check::size);
  expect_mapped_ring(std::max(1, check::size - 1));
  left_over();
  wrong();
  return program.finish();
}
