// SPDX-License-Identifier: BSD-3-Clause
// ReceiveGroup: what the messages of a number of peers arrive through: a completion queue, a shared receive queue with
// its buffers, and the credits for these. The lengths of both queues are fixed when they are made. When more peers come
// than a group has room for, the device opens another one for the further peers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "verbs/connection/credits.hpp"
#include "verbs/receive_pool.hpp"
#include "verbs/verbs_adapter.hpp"
#include "verbs/verbs_handles.hpp"

namespace bowline::verbs {

class ReceiveGroup {
 public:
  /// The group has room for `peers` peers, or for as many as the adapter's queues take. `buffer_bytes`: of each buffer.
  /// `works`: most requests to send that may be under way. `channel` tells of completions. Throws Error.
  ReceiveGroup(Adapter& adapter, ibv_comp_channel* channel, std::size_t buffer_bytes, unsigned works, unsigned peers);
  ReceiveGroup(const ReceiveGroup&) = delete;
  ReceiveGroup& operator=(const ReceiveGroup&) = delete;

  ibv_cq* completions() const noexcept { return completions_.get(); }
  ReceivePool& receives() noexcept { return receives_; }
  CreditPool& credits() noexcept { return credits_; }

  /// Whether one more peer can receive through the group.
  bool has_room() const noexcept { return credits_.peers() + expected_ < most_peers_; }
  /// A peer will be admitted.
  void expect() noexcept { ++expected_; }
  /// Reserves buffers for an expected peer, and gives it its first credits. Throws Error.
  void admit(Grant& grant);

 private:
  Adapter& adapter_;
  CompletionQueue completions_;
  ReceivePool receives_;
  CreditPool credits_;
  std::uint32_t most_peers_;
  std::uint32_t expected_ = 0;
};

}  // namespace bowline::verbs
