// SPDX-License-Identifier: BSD-3-Clause
// What the functions on topologies share.
#pragma once

#include <mpi.h>

#include <variant>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/mapping.hpp"
#include "comm/process_topology.hpp"
#include "runtime/hardware.hpp"

namespace bowline::api {

/// Where every member runs, by rank.
std::vector<comm::Place> gather_places(comm::Communicator& comm);
/// The members in the order of a mapping, which gives ranks.
comm::Group reordered(const comm::Communicator& comm, const std::vector<int>& mapping);
/// The place that a mapping gives a rank; MPI_UNDEFINED if it gives none.
int place_in(const std::vector<int>& mapping, int rank);
/// A new communicator of these members with a topology; MPI_COMM_NULL if this process is none of them.
MPI_Comm make_with(comm::Communicator& comm, const comm::Group& members, comm::Topology topology);

[[noreturn]] void refuse_topology(const char* kind, const char* maker);

/// The communicator's topology of this kind; throws Error (topology) if it has none.
template <class Kind>
const Kind& topology_of(const comm::Communicator& comm, const char* kind, const char* maker) {
  const Kind* const found = comm.topology() == nullptr ? nullptr : std::get_if<Kind>(comm.topology());
  if (found == nullptr) refuse_topology(kind, maker);
  return *found;
}

}  // namespace bowline::api
