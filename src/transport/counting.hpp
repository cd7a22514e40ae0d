// SPDX-License-Identifier: BSD-3-Clause
// Counts what goes to each peer and comes from it, for the report of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "base/atomic.hpp"
#include "transport/transport.hpp"

namespace bowline::transport {

/// What this process has moved through one endpoint.
struct PeerTraffic {
  explicit PeerTraffic(int peer_) noexcept : peer(peer_) {}

  int peer;                          ///< its process index
  Atomic<std::uint64_t> sent{0};     ///< bytes that this process has handed over for the peer, or put into its memory
  Atomic<std::uint64_t> fetched{0};  ///< bytes that this process has read from the peer's memory
  Atomic<std::uint64_t> eager_messages{0};  ///< without a prefix: protocols send them at once
};

/// The traffic of all endpoints of the process, also of those that have ended.
class TrafficCounts {
 public:
  /// An endpoint that does what `inner` does and counts it here. nullptr stays nullptr. This object must outlive it.
  std::unique_ptr<Endpoint> counted(int peer, std::unique_ptr<Endpoint> inner);

  template <class Action>
  void for_each(Action action) const {
    const std::lock_guard hold(mutex_);
    for (const PeerTraffic& each : all_) action(each);
  }

 private:
  mutable std::mutex mutex_;
  std::deque<PeerTraffic> all_;
};

}  // namespace bowline::transport
