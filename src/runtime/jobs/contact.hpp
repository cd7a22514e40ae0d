// SPDX-License-Identifier: BSD-3-Clause
// What the processes of two jobs tell each other when the jobs are connected. Who carries it is up to the caller.
//
//   first    each process learns the Side of the other job, and makes room for its processes
//   then     each process learns the Contact of each of them, and can send to it
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::runtime {

/// A process that takes part in a connection.
struct Member {
  int rank;            ///< in MPI_COMM_WORLD of its job
  std::uint64_t node;  ///< equal for processes that may share memory; see this_node()
  bool operator==(const Member&) const = default;
};

/// The processes of one job that take part in a connection.
struct Side {
  std::string job;              ///< its name
  int ranks = 0;                ///< of the whole job
  std::vector<Member> members;  ///< in ascending order of their ranks
};

/// How one process is reached. Travels as bytes between processes of one version of Bowline.
struct Contact {
  int first = 0;                             ///< its index of rank 0 of the receiver's job
  transport::Address inbox;                  ///< for processes of the same node; empty: the process shares no memory
  std::vector<transport::Address> networks;  ///< its addresses in the networks, by lane; empty: it has no network

  /// The contact as bytes. Throws Error if an address is too long.
  std::vector<std::byte> bytes() const;
  /// Reads a contact from its bytes. Throws Error if these are not the bytes of a Contact.
  static Contact read(const std::vector<std::byte>& bytes);
};

}  // namespace bowline::runtime
