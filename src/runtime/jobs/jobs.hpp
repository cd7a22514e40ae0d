// SPDX-License-Identifier: BSD-3-Clause
// Jobs: the connections of this process to processes of other jobs.
//
// Some or all processes of two jobs, the members of a connection, make the connection together and end it together.
// Several connections may exist at a time, also between the same jobs. From the first connection on, a process of the
// other job is a process like all others: it has an index (comm/process_table.hpp), shares memory with this process if
// they run on the same node, and is reached through the networks otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/this_node.hpp"
#include "comm/group.hpp"
#include "comm/process_table.hpp"
#include "proto/lanes.hpp"
#include "runtime/finalize_barrier.hpp"
#include "runtime/jobs/contact.hpp"
#include "runtime/jobs/port.hpp"
#include "runtime/transports.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

/// Thread-safe; the caller holds no lane's lock. Other threads may communicate meanwhile, but not with the processes
/// that a connection connects or parts.
class Jobs {
 public:
  /// All arguments must outlive this object.
  Jobs(const wireup::Identity& identity, comm::ProcessTable& processes, Transports& transports, proto::Lanes& lanes)
      : identity_(identity), processes_(processes), transports_(transports), lanes_(lanes) {}

  static constexpr std::uint32_t most_id = (1U << 29) - 1;

  /// This process as a member of a connection.
  Member self() const { return {identity_.rank, this_node()}; }
  /// The ports at which this process waits for other jobs.
  Ports& ports() noexcept { return ports_; }
  /// Whether there is a connection with this id.
  bool has(std::uint32_t id) const;
  /// Makes room for the members of another job, whose messages may arrive from now on. `id`: from 1 to most_id; all
  /// members give the same id, and no other connection of any of them has it. Returns what this process tells the other
  /// members. Throws Error, and then nothing is connected.
  Contact prepare(std::uint32_t id, const Side& own, const Side& other);
  /// Makes the members of the other job reachable. `contacts`: what each of these members tells this process, in their
  /// order. Throws Error.
  void connect(std::uint32_t id, std::span<const Contact> contacts);
  /// Reverts prepare(), at this process only, before connect().
  void abandon(std::uint32_t id) noexcept;
  /// Ends a connection, with all its members: returns when all of them have called disconnect(). No operation between
  /// the two sides may be pending. Processes that another connection connects stay connected. Throws Error.
  void disconnect(std::uint32_t id);

  /// The connections all members of which belong to the group, in ascending order.
  std::vector<std::uint32_t> within(const comm::Group& group) const;
  /// The processes of the other job in a connection that no other connection connects, `without` these.
  std::vector<int> connected_only_by(std::uint32_t id, std::span<const std::uint32_t> without) const;
  /// Whether this process can send to a process: it belongs to this job, or a connection connects it.
  bool reaches(int process) const;

  /// The groups of processes that end together: the members of each connection, and this job (`with_job`).
  std::vector<EndTogether> groups(bool with_job) const;
  /// The processes of this job and of all connections, in ascending order.
  std::vector<int> processes() const;

 private:
  /// Addresses of the inboxes of processes; guarded by the mutex of the wire-up.
  using Inboxes = std::map<int, transport::Address>;
  struct Connection {
    std::vector<int> members;  ///< process indices, in an order that all members share
    int own_position = 0;
    std::vector<int> others;  ///< process indices of the members of the other job
    /// The members of the other job that run on this node, unless all of them share memory with this process already.
    Neighbourhood* neighbours = nullptr;
    std::shared_ptr<Inboxes> inboxes;  ///< of these neighbours
  };
  static EndTogether group_of(const Connection& connection, std::uint32_t id);
  Connection describe(const Side& own, const Side& other, int first) const;
  void share_memory(Connection& connection, const Side& own, const Side& other, int first);
  bool is_connected(int process, const Connection* without = nullptr) const;
  void begin_to_part_from(const Connection& connection);
  void part_from(const Connection& connection);

  const wireup::Identity& identity_;
  comm::ProcessTable& processes_;
  Transports& transports_;
  proto::Lanes& lanes_;
  mutable std::mutex mutex_;                         ///< guards connections_
  std::map<std::uint32_t, Connection> connections_;  ///< by id; an element stays in place
  Ports ports_;
};

}  // namespace bowline::runtime
