// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 8: Cartesian topologies.
#include "api/topologies/topologies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/grid.hpp"
#include "comm/mapping.hpp"

namespace bowline::api {
namespace {

const comm::Cartesian& grid_of(const comm::Communicator& comm) {
  return topology_of<comm::Cartesian>(comm, "a Cartesian", "MPI_Cart_create");
}

/// The number of processes of a grid. Throws Error if it is more than `most`.
int grid_size(std::span<const int> dims, int most) {
  long long size = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 1) throw Error(ErrorClass::dims, fmt::format("dims[{}] is {}, but it must be 1 or more", d, dims[d]));
    size *= dims[d];
    if (size > most) {
      throw Error(ErrorClass::dims,
                  fmt::format("dims ask for more processes than the {} that the communicator has", most));
    }
  }
  return static_cast<int>(size);
}

comm::Cartesian read_grid(int ndims, const int dims[], const int periods[]) {
  check::non_negative(ndims, "ndims");
  check::array(dims, ndims, "dims");
  check::array(periods, ndims, "periods");
  comm::Cartesian grid;
  for (int d = 0; d < ndims; ++d) {
    grid.dims.push_back(dims[d]);
    grid.periodic.push_back(periods[d] != 0);
  }
  return grid;
}

void check_room(int room, std::size_t needed, const char* name) {
  if (static_cast<std::size_t>(room) >= needed) return;
  throw Error(ErrorClass::dims, fmt::format("{} is {}, but the grid has {} dimensions", name, room, needed));
}

}  // namespace

std::vector<comm::HardwarePlace> gather_places(comm::Communicator& comm) {
  return gather_all(comm.team(), runtime::place_here());
}

comm::Group reordered(const comm::Communicator& comm, const std::vector<int>& mapping) {
  return comm.group().including(mapping);
}

int place_in(const std::vector<int>& mapping, int rank) {
  const auto found = std::ranges::find(mapping, rank);
  return found == mapping.end() ? MPI_UNDEFINED : static_cast<int>(found - mapping.begin());
}

MPI_Comm make_with(comm::Communicator& comm, const comm::Group& members, comm::Topology topology) {
  const MPI_Comm made = make_or_decline(comm, agree(comm), members);
  if (made != MPI_COMM_NULL) {
    find_comm(made)->set_topology(std::make_shared<const comm::Topology>(std::move(topology)));
  }
  return made;
}

void refuse_topology(const char* kind, const char* maker) {
  throw Error(ErrorClass::topology,
              fmt::format("comm has no {} topology: give a communicator made by {}", kind, maker));
}

void dims_create(int nnodes, int ndims, int dims[]) {
  check::positive(nnodes, "nnodes");
  check::non_negative(ndims, "ndims");
  check::array(dims, ndims, "dims");
  int rest = nnodes, free = 0;
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] < 0) {
      throw Error(ErrorClass::dims, fmt::format("dims[{}] is {}, but it must be 0, to be chosen, or more", d, dims[d]));
    }
    if (dims[d] == 0) {
      ++free;
    } else if (rest % dims[d] != 0) {
      throw Error(ErrorClass::dims,
                  fmt::format("nnodes is {}, which is no multiple of the dimensions that dims gives", nnodes));
    } else {
      rest /= dims[d];
    }
  }
  if (free == 0) return;
  const std::vector<int> chosen = comm::balanced_factors(rest, free);
  auto next = chosen.begin();
  for (int d = 0; d < ndims; ++d) {
    if (dims[d] == 0) dims[d] = *next++;
  }
}

void cart_create(comm::Communicator& comm_old, int ndims, const int dims[], const int periods[], int reorder,
                 MPI_Comm* comm_cart) {
  *comm_cart = MPI_COMM_NULL;
  comm::Cartesian grid = read_grid(ndims, dims, periods);
  const int size = grid_size(grid.dims, comm_old.size());
  const comm::RankRange first[] = {{0, size - 1, 1}};
  const comm::Group members = reorder != 0 ? reordered(comm_old, comm::map_grid(grid, gather_places(comm_old)))
                                           : comm_old.group().including(first);
  *comm_cart = make_with(comm_old, members, std::move(grid));
}

// The rank that MPI_Cart_create assigns if it may reorder. Collective, because a process does not know where the others
// run.
void cart_map(comm::Communicator& comm, int ndims, const int dims[], const int periods[], int* newrank) {
  const comm::Cartesian grid = read_grid(ndims, dims, periods);
  grid_size(grid.dims, comm.size());
  *newrank = place_in(comm::map_grid(grid, gather_places(comm)), comm.rank());
}

void cartdim_get(comm::Communicator& comm, int* ndims) {
  *ndims = static_cast<int>(grid_of(comm).dims.size());
}

void cart_get(comm::Communicator& comm, int maxdims, int dims[], int periods[], int coords[]) {
  const comm::Cartesian& grid = grid_of(comm);
  check_room(maxdims, grid.dims.size(), "maxdims");
  const std::vector<int> here = grid.coordinates(comm.rank());
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    dims[d] = grid.dims[d];
    periods[d] = grid.periodic[d] ? 1 : 0;
    coords[d] = here[d];
  }
}

void cart_rank(comm::Communicator& comm, const int coords[], int* rank) {
  const comm::Cartesian& grid = grid_of(comm);
  check::array(coords, static_cast<MPI_Count>(grid.dims.size()), "coords");
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (!grid.periodic[d] && (coords[d] < 0 || coords[d] >= grid.dims[d])) {
      throw Error(ErrorClass::arg, fmt::format("coords[{}] is {}, but this dimension goes from 0 to {} and is not "
                                               "periodic",
                                               d, coords[d], grid.dims[d] - 1));
    }
  }
  *rank = grid.rank({coords, coords + grid.dims.size()});
}

void cart_coords(comm::Communicator& comm, int rank, int maxdims, int coords[]) {
  const comm::Cartesian& grid = grid_of(comm);
  check_room(maxdims, grid.dims.size(), "maxdims");
  std::ranges::copy(grid.coordinates(rank), coords);
}

void cart_shift(comm::Communicator& comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const comm::Cartesian& grid = grid_of(comm);
  if (direction < 0 || static_cast<std::size_t>(direction) >= grid.dims.size()) {
    throw Error(ErrorClass::dims, fmt::format("direction is {}, but the grid has {} dimensions, counted from 0",
                                              direction, grid.dims.size()));
  }
  const auto d = static_cast<std::size_t>(direction);
  const auto at = [&](long long way) {
    std::vector<int> place = grid.coordinates(comm.rank());
    const long long there = place[d] + way;
    if (!grid.periodic[d] && (there < 0 || there >= grid.dims[d])) return MPI_PROC_NULL;
    place[d] = static_cast<int>(there % grid.dims[d]);
    return grid.rank(place);
  };
  *rank_source = at(-static_cast<long long>(disp));
  *rank_dest = at(disp);
}

// Members with equal coordinates in the dropped dimensions stay together, in their order.
void cart_sub(comm::Communicator& comm, const int remain_dims[], MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  const comm::Cartesian& grid = grid_of(comm);
  check::array(remain_dims, static_cast<MPI_Count>(grid.dims.size()), "remain_dims");
  comm::Cartesian left;
  std::vector<int> here = grid.coordinates(comm.rank());
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (remain_dims[d] == 0) continue;
    left.dims.push_back(grid.dims[d]);
    left.periodic.push_back(grid.periodic[d]);
    here[d] = 0;
  }
  *newcomm = split(comm, {.color = grid.rank(here), .key = comm.rank()});
  find_comm(*newcomm)->set_topology(std::make_shared<const comm::Topology>(std::move(left)));
}

void topo_test(comm::Communicator& comm, int* status) {
  constexpr int kinds[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};
  *status = comm.topology() == nullptr ? MPI_UNDEFINED : kinds[comm.topology()->index()];
}

}  // namespace bowline::api
