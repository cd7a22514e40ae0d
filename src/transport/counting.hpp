// SPDX-License-Identifier: BSD-3-Clause
// Counts what goes to each peer and comes from it, for the report of a job.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/atomic.hpp"
#include "base/profile/message_sizes.hpp"
#include "transport/transport.hpp"

namespace bowline::transport {

/// What this process has moved through one endpoint.
struct PeerTraffic {
  /// Longer messages that are sent at once count as such ones.
  static constexpr std::size_t longest_eager = 1 << 20;
  static constexpr std::size_t eager_rows = MessageSizes::row_of(longest_eager) + 1;

  PeerTraffic(int peer_, std::string way_) : peer(peer_), way(std::move(way_)) {}

  int peer;                          ///< its process index
  std::string way;                   ///< how the endpoint reaches it: "shared memory", or the names of adapters
  Atomic<std::uint64_t> sent{0};     ///< bytes that this process has handed over for the peer, or put into its memory
  Atomic<std::uint64_t> fetched{0};  ///< bytes that this process has read from the peer's memory
  /// Messages without a prefix, which protocols send at once, by the rows of MessageSizes.
  std::array<Atomic<std::uint64_t>, eager_rows> eager{};
};

/// The traffic of all endpoints of the process, also of those that have ended.
class TrafficCounts {
 public:
  /// An endpoint that does what `inner` does and counts it here. nullptr stays nullptr. This object must outlive it.
  /// `way`: as in PeerTraffic.
  std::unique_ptr<Endpoint> counted(int peer, std::string way, std::unique_ptr<Endpoint> inner);

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
