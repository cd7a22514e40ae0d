// SPDX-License-Identifier: BSD-3-Clause
// Transports: by which way this process reaches each of its peers. Ranks of one node share memory, if a handshake
// proves that they can; all others are reached through the network, which is loaded only by jobs that need it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proto/engine.hpp"
#include "runtime/networks.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"
#include "transport/descriptor_sleeper.hpp"
#include "transport/self.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

class Transports {
 public:
  /// Makes what every lane needs and publishes how it can be reached; `exchange()` of the wire-up must follow. `sent`
  /// is called after every message of the process to itself. Throws Error.
  Transports(wireup::Wireup& wireup, const std::string& host, unsigned lanes, const std::function<void()>& sent);

  /// How this process waits for others; nullptr if there are none.
  transport::Sleeper* sleeper() noexcept;
  /// Has the engine of this lane polled what its peers may begin to send to.
  void add_devices(unsigned lane, proto::Engine& engine);
  /// The way to a peer, at first contact. Called in any lane, under its lock. Throws Error.
  std::unique_ptr<transport::Endpoint> connect(unsigned lane, int rank, proto::Engine& engine);
  /// Guards the wire-up, which the lanes share.
  std::mutex& wireup_mutex() noexcept { return mutex_; }
  /// Whether it is known what contact with a rank needs that is reached through the network. Called in any lane, under
  /// its lock.
  bool approachable(unsigned lane, int rank);
  /// Whether a rank that shares memory with this one has said good-bye there, or has ended. Called in any lane, under
  /// its lock. Throws Error.
  bool has_left(int rank);
  /// What it needs, in this lane, where ranks are asked for that; empty if it is not known.
  transport::Address address(unsigned lane, int rank);
  /// Another process has told what first contact with a rank needs in this lane.
  void learned(unsigned lane, int rank, std::span<const std::byte> address);
  /// Where ranks may be alone on their nodes, asks the launcher in the background for the next rank if it is on another
  /// node: Slurm's PMIx server does not outlive such a rank, and is silent then. After exchange().
  void look_ahead();
  /// Whether each process has done so.
  bool looks_ahead() const noexcept {
    return networks_.has_value() && wireup_.identity().size < 2 * wireup_.identity().nodes;
  }
  int rank() const noexcept { return rank_; }
  /// The rank before this one; before the first that is the last.
  int before(int rank) const noexcept {
    const int size = wireup_.identity().size;
    return (rank + size - 1) % size;
  }
  bool is_local(int rank) const noexcept;
  /// The next rank, counting on from this one and from 0 again, that is reached through the network; negative if none.
  int next_remote() const noexcept;
  /// The ranks that this one may share memory with, itself included, ascending.
  const std::vector<int>& local_ranks() const noexcept { return local_ranks_; }
  /// Whether the user wants no memory shared at all.
  static bool network_only() noexcept;
  /// Whether some ranks are reached through the kernel, for want of an adapter that needs it not.
  bool through_kernel() const noexcept { return networks_.has_value() && networks_->through_kernel(); }
  /// Tells the ranks that share memory with this one how far its end has come.
  void tell_end(shm::End end) noexcept {
    if (inbox_ != nullptr) inbox_->tell_end(end);
  }
  /// Whether messages may be under way that only go on while both sides live, and no peer is known to be lost: then
  /// the processes must end together.
  bool end_together() const noexcept;

 private:
  struct Devices {
    Devices(int rank, const std::function<void()>& sent) : self(rank, sent) {}
    transport::SelfDevice self;
    std::optional<shm::ShmDevice> shm;
  };

  wireup::Wireup& wireup_;
  int rank_;
  std::vector<int> local_ranks_;  ///< that may share memory, this one included, ascending
  std::mutex mutex_;              ///< the lanes share the wire-up
  std::unique_ptr<shm::Inbox> inbox_;
  std::optional<transport::DescriptorSleeper> sleeper_;  ///< if there are networks
  std::optional<Networks> networks_;
  std::vector<std::unique_ptr<Devices>> devices_;  ///< by lane
  /// By lane and rank, what others have told; where each process looks ahead, also of those in contact, for others.
  std::map<std::pair<unsigned, int>, transport::Address> known_;
};

}  // namespace bowline::runtime
