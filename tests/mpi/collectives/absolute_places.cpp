// SPDX-License-Identifier: BSD-3-Clause
// Operations with a datatype for each block, whose displacements count bytes: from MPI_BOTTOM they are addresses. In
// all three forms, among neighbours and among all.
#include <array>
#include <functional>
#include <vector>

#include "check.hpp"

namespace {

/// Starts an operation in one of its forms; persistent ones go two rounds.
using Start = std::function<int(MPI_Request*)>;

void blocking(const std::function<int()>& call) {
  CHECK_EQ(call(), MPI_SUCCESS);
}

void nonblocking(const Start& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(start(&request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

void persistent(const Start& make, int* clear) {
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(make(&request), MPI_SUCCESS);
  for (int round = 0; round < 2; ++round) {
    *clear = -1;
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

MPI_Aint address(const void* place) {
  MPI_Aint result = 0;
  MPI_Get_address(place, &result);
  return result;
}

void neighbours() {
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &check::size, &periodic, 0, &ring);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  // A block of ints for one side, and of doubles, every second of them, for the other.
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &spread);
  MPI_Type_commit(&spread);
  int left_out = 10 * check::rank, left_in = -1;
  std::array<double, 3> right_out = {1.0 + check::rank, 0, 2.0 + check::rank}, right_in{};
  const std::array<int, 2> counts = {1, 1};
  const std::array<MPI_Datatype, 2> out_types = {MPI_INT, spread}, in_types = {spread, MPI_INT};
  const std::array<MPI_Aint, 2> out = {address(&left_out), address(right_out.data())};
  const std::array<MPI_Aint, 2> in = {address(right_in.data()), address(&left_in)};
  const auto expect = [&] {
    CHECK_EQ(left_in, 10 * check::right());
    CHECK_EQ(right_in[0], 1.0 + check::left());
    CHECK_EQ(right_in[1], 0.0);
    CHECK_EQ(right_in[2], 2.0 + check::left());
    left_in = -1;
    right_in = {};
  };
  blocking([&] {
    return MPI_Neighbor_alltoallw(MPI_BOTTOM, counts.data(), out.data(), out_types.data(), MPI_BOTTOM, counts.data(),
                                  in.data(), in_types.data(), ring);
  });
  expect();
  nonblocking([&](MPI_Request* request) {
    return MPI_Ineighbor_alltoallw(MPI_BOTTOM, counts.data(), out.data(), out_types.data(), MPI_BOTTOM, counts.data(),
                                   in.data(), in_types.data(), ring, request);
  });
  expect();
  persistent(
      [&](MPI_Request* request) {
        return MPI_Neighbor_alltoallw_init(MPI_BOTTOM, counts.data(), out.data(), out_types.data(), MPI_BOTTOM,
                                           counts.data(), in.data(), in_types.data(), ring, MPI_INFO_NULL, request);
      },
      &left_in);
  expect();
  // MPI_BOTTOM itself is still no place for data without an address.
  const std::array<MPI_Aint, 2> nowhere = {0, 0};
  CHECK_EQ(MPI_Neighbor_alltoallw(MPI_BOTTOM, counts.data(), nowhere.data(), in_types.data(), MPI_BOTTOM, counts.data(),
                                  in.data(), in_types.data(), ring),
           MPI_ERR_BUFFER);
  MPI_Type_free(&spread);
  MPI_Comm_free(&ring);
}

void all() {
  const auto size = static_cast<std::size_t>(check::size);
  std::vector<int> out(size), in(size, -1), small_counts(size, 1), zeros(size, 0);
  const std::vector<MPI_Count> counts(size, 1);
  const std::vector<MPI_Datatype> types(size, MPI_INT);
  std::vector<MPI_Count> from, to;
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = 100 * check::rank + static_cast<int>(i);
    from.push_back(address(&out[i]));
    to.push_back(address(&in[i]));
  }
  const auto expect = [&] {
    for (std::size_t i = 0; i < size; ++i) CHECK_EQ(in[i], 100 * static_cast<int>(i) + check::rank);
    in.assign(size, -1);
  };
  const MPI_Comm world = MPI_COMM_WORLD;
  blocking([&] {
    return MPI_Alltoallw_c(MPI_BOTTOM, counts.data(), from.data(), types.data(), MPI_BOTTOM, counts.data(), to.data(),
                           types.data(), world);
  });
  expect();
  nonblocking([&](MPI_Request* request) {
    return MPI_Ialltoallw_c(MPI_BOTTOM, counts.data(), from.data(), types.data(), MPI_BOTTOM, counts.data(), to.data(),
                            types.data(), world, request);
  });
  expect();
  persistent(
      [&](MPI_Request* request) {
        return MPI_Alltoallw_init_c(MPI_BOTTOM, counts.data(), from.data(), types.data(), MPI_BOTTOM, counts.data(),
                                    to.data(), types.data(), world, MPI_INFO_NULL, request);
      },
      in.data());
  expect();

  // The small form has no room for addresses: there the datatypes hold them.
  std::vector<MPI_Datatype> out_types(size), in_types(size);
  for (std::size_t i = 0; i < size; ++i) {
    const int one = 1;
    const MPI_Aint there = address(&out[i]), here = address(&in[i]);
    MPI_Type_create_hindexed(1, &one, &there, MPI_INT, &out_types[i]);
    MPI_Type_create_hindexed(1, &one, &here, MPI_INT, &in_types[i]);
    MPI_Type_commit(&out_types[i]);
    MPI_Type_commit(&in_types[i]);
  }
  blocking([&] {
    return MPI_Alltoallw(MPI_BOTTOM, small_counts.data(), zeros.data(), out_types.data(), MPI_BOTTOM,
                         small_counts.data(), zeros.data(), in_types.data(), world);
  });
  expect();
  for (std::size_t i = 0; i < size; ++i) {
    MPI_Type_free(&out_types[i]);
    MPI_Type_free(&in_types[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  neighbours();
  all();
  return program.finish();
}
