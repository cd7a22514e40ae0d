// SPDX-License-Identifier: BSD-3-Clause
// Helpers of the topology functions.
#pragma once

#include <mpi.h>

#include <variant>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/group.hpp"
#include "comm/mapping.hpp"
#include "comm/process_topology.hpp"
#include "runtime/hardware.hpp"

namespace bowline::api {

/// Where every member runs, by rank. Collective.
std::vector<comm::HardwarePlace> gather_places(comm::Communicator& comm);
/// The members in the order of `mapping`, which lists their ranks.
comm::Group reordered(const comm::Communicator& comm, const std::vector<int>& mapping);
/// The position of `rank` in `mapping`; MPI_UNDEFINED if it is not there.
int place_in(const std::vector<int>& mapping, int rank);
/// Makes a communicator of these members with a topology; returns MPI_COMM_NULL if this process is not a member.
MPI_Comm make_with(comm::Communicator& comm, const comm::Group& members, comm::Topology topology);

[[noreturn]] void refuse_topology(const char* kind, const char* maker);

/// The communicator's topology of this kind; throws Error (topology) if it has none.
template <class Topology>
const Topology& topology_of(const comm::Communicator& comm, const char* kind, const char* maker) {
  const Topology* const found = comm.topology() == nullptr ? nullptr : std::get_if<Topology>(comm.topology());
  if (found == nullptr) refuse_topology(kind, maker);
  return *found;
}

}  // namespace bowline::api
