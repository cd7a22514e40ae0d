// SPDX-License-Identifier: BSD-3-Clause
// Transports: the transport to each peer. Ranks of one node share memory if a handshake proves that they can. All
// others are reached through the network, which only jobs that need it load.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "comm/process_table.hpp"
#include "proto/engine.hpp"
#include "runtime/local_addresses.hpp"
#include "runtime/networks.hpp"
#include "runtime/remote_addresses.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"
#include "transport/descriptor_sleeper.hpp"
#include "transport/self.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

class Transports {
 public:
  /// Makes the devices of every lane and publishes their addresses; `exchange()` of the wire-up must follow. `sent` is
  /// called after every message of the process to itself. Throws Error.
  Transports(wireup::Wireup& wireup, const comm::ProcessTable& processes, const std::string& host, unsigned lanes,
             const std::function<void()>& sent);

  /// The sleeper of this process; nullptr if there are no other processes.
  transport::Sleeper* sleeper() noexcept;
  /// Makes the engine of this lane poll the devices to which peers may send.
  void add_devices(unsigned lane, proto::Engine& engine);
  /// Connects to a peer; nullptr if it has left and cannot be reached any more. Called in any lane, under its lock.
  /// Throws Error.
  std::unique_ptr<transport::Endpoint> connect(unsigned lane, int rank, proto::Engine& engine);
  /// Connects through a network, also to a process that shares memory with this one, or to this one itself. nullptr if
  /// there is no network. Called in any lane, under its lock. Throws Error.
  std::unique_ptr<transport::Endpoint> connect_network(unsigned lane, int rank);
  /// What the networks do for atomic operations on the memory of peers.
  transport::RemoteAccess network_atomics() const noexcept;
  /// The lengths of the numbers that these update; see transport::Network::atomic_lengths().
  unsigned network_atomic_lengths() const noexcept;
  /// Guards the wire-up, which the lanes share.
  std::mutex& wireup_mutex() noexcept { return mutex_; }
  /// Whether a rank that shares memory with this one has said good-bye there, or has ended. Called in any lane, under
  /// its lock. Throws Error.
  bool has_left(int rank);
  /// Whether a rank is reached through the network, as far as that is known: a rank of this node may turn out not to
  /// share memory.
  bool is_remote(int rank) const noexcept { return networks_.has_value() && !is_local(rank); }
  /// Where these ranks are. Thread-safe.
  RemoteAddresses& remote_addresses() noexcept { return remote_; }
  int rank() const noexcept { return rank_; }
  bool is_local(int rank) const noexcept;
  bool is_of_this_job(int process) const noexcept { return processes_.is_of_this_job(process); }
  /// The next rank after this one that is reached through the network; rank 0 follows the last rank. Negative if there
  /// is none.
  int next_remote() const noexcept;
  /// The ranks with which this one may share memory, including itself, in ascending order.
  const std::vector<int>& local_ranks() const noexcept { return local_ranks_; }
  /// Whether the user wants all ranks to communicate through a network, and none to share memory.
  static bool network_only() noexcept;
  /// Whether some ranks are reached through the kernel, because there is no adapter that works without it.
  bool through_kernel() const noexcept { return networks_.has_value() && networks_->through_kernel(); }
  /// Notifies the ranks that share memory with this one of how far its end has come.
  void tell_end(shm::End end) noexcept {
    if (inbox_ != nullptr) inbox_->tell_end(end);
  }
  /// Whether the processes must end together: messages may be under way that arrive only while both sides live, and no
  /// peer is known to be lost.
  bool end_together() const noexcept;

 private:
  struct Devices {
    Devices(int rank, const std::function<void()>& sent) : self(rank, sent) {}
    transport::SelfDevice self;
    std::optional<shm::ShmDevice> shm;
  };

  Error no_network(int process) const;
  bool has_left_here(int rank) noexcept;
  std::unique_ptr<transport::Endpoint> through_network(unsigned lane, int rank);

  wireup::Wireup& wireup_;
  const comm::ProcessTable& processes_;
  int rank_;
  std::vector<int> local_ranks_;  ///< ranks that may share memory, including this one, in ascending order
  std::mutex mutex_;              ///< guards the wire-up, which the lanes share
  RemoteAddresses remote_;
  std::unique_ptr<shm::Inbox> inbox_;
  std::optional<LocalAddresses> addresses_;              ///< if there is an inbox
  std::optional<transport::DescriptorSleeper> sleeper_;  ///< if there are networks
  std::optional<Networks> networks_;
  std::vector<std::unique_ptr<Devices>> devices_;  ///< by lane
};

}  // namespace bowline::runtime
