// SPDX-License-Identifier: BSD-3-Clause
// The private interface's functions on communicators.
#include <variant>

#include "api/communicators/making.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/private_parts.hpp"
#include "comm/process_topology.hpp"

namespace bowline::api {
namespace {

using Members = PrivateInterface::Members;

int count_of(const comm::Cartesian& grid, Members which) {
  const auto dimensions = static_cast<int>(grid.dims.size());
  return which == Members::dimensions ? dimensions : 2 * dimensions;
}

int count_of(const comm::Graph& graph, Members which, int rank) {
  return which == Members::dimensions ? -1 : static_cast<int>(graph.neighbours(rank).size());
}

int count_of(const comm::DistributedGraph& graph, Members which) {
  if (which == Members::dimensions) return -1;
  return static_cast<int>((which == Members::sources ? graph.sources : graph.destinations).size());
}

}  // namespace

int members_of(MPI_Comm comm, Members which) noexcept {
  if (!this_process().running()) return -1;
  const comm::Communicator* const found = find_comm(comm);
  if (found == nullptr) return -1;
  if (which == Members::peers) return found->peers();
  const comm::Topology* const topology = found->topology();
  if (topology == nullptr) return -1;
  if (const auto* const grid = std::get_if<comm::Cartesian>(topology)) return count_of(*grid, which);
  if (const auto* const graph = std::get_if<comm::Graph>(topology)) return count_of(*graph, which, found->rank());
  return count_of(std::get<comm::DistributedGraph>(*topology), which);
}

int duplicate_communicator(MPI_Comm comm, MPI_Info info, const char* function, PrivateInterface::Deliver deliver,
                           void* target, MPI_Request* request) {
  const auto begin = [&](Call& call) {
    call.needs_mpi();
    auto& parent = call.comm(comm, "comm");
    begin_duplicate(parent, info, {deliver, target}, request);
  };
  return guarded(function, begin);
}

int shrink_communicator(MPI_Comm comm, PrivateInterface::Deliver deliver, void* target, MPI_Request* request) {
  const auto begin = [&](Call& call) {
    call.needs_mpi();
    auto& parent = call.comm(comm, "comm");
    begin_shrink(parent, {deliver, target}, request);
  };
  return guarded("MPIX_Comm_ishrink", begin);
}

}  // namespace bowline::api
