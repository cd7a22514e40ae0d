// SPDX-License-Identifier: BSD-3-Clause
// Credits: how many messages each peer may send, so that a buffer is ready for every one of them.
//
// All peers of a lane share the buffers of one receive queue. Each peer always has the right to at least one message,
// for which a buffer is reserved. The other buffers are granted to peers by use: a peer whose messages have been taken
// gets its window filled up again, as far as buffers are free. What was granted is not withdrawn; when there are more
// peers, the windows become smaller.
#pragma once

#include <algorithm>
#include <cstdint>

namespace bowline::verbs {

/// The credits of one sender. The numbers count messages that use a credit, since the first contact; they may wrap
/// around.
struct Grant {
  std::uint32_t taken = 0;    ///< messages received and taken by the sink
  std::uint32_t granted = 0;  ///< the peer may send messages with lower numbers
  std::uint32_t told = 0;     ///< the value of `granted` that the peer has been told last

  std::uint32_t outstanding() const noexcept { return granted - taken; }
};

class CreditPool {
 public:
  /// `shared`: buffers that are not reserved; `window`: most messages of one peer under way.
  CreditPool(std::uint32_t shared, std::uint32_t window) noexcept : shared_(shared), window_(window) {}

  /// Admits a new peer, for which the caller has added a reserved buffer.
  void admit(Grant& grant) noexcept {
    ++peers_;
    fill(grant);
  }
  /// A peer is gone: the credits that it has not used are free.
  void dismiss(Grant& grant) noexcept {
    --peers_;
    used_ -= shared_part(grant);
    grant.granted = grant.taken;
  }
  /// A message was taken, and its buffer is free again. May grant more.
  void taken(Grant& grant) noexcept {
    used_ -= shared_part(grant);
    ++grant.taken;
    used_ += shared_part(grant);
    if (grant.outstanding() <= window() / 2) fill(grant);
  }
  /// Whether the peer needs to be told by a message of its own, because otherwise it might soon have to wait.
  bool must_tell(const Grant& grant) const noexcept {
    return grant.told != grant.granted && grant.told - grant.taken <= window() / 4;
  }
  std::uint32_t peers() const noexcept { return peers_; }
  /// Shared buffers that are granted now.
  std::uint32_t used() const noexcept { return used_; }
  /// Most messages of one peer under way, given the present number of peers.
  std::uint32_t window() const noexcept {
    return std::clamp<std::uint32_t>(peers_ == 0 ? window_ : 1 + shared_ / peers_, 1, window_);
  }

 private:
  static std::uint32_t shared_part(const Grant& grant) noexcept {
    return grant.outstanding() > 0 ? grant.outstanding() - 1 : 0;
  }
  void fill(Grant& grant) noexcept {
    const std::uint32_t before = shared_part(grant);
    const std::uint32_t free = shared_ - used_;
    const std::uint32_t wanted = std::max(window(), grant.outstanding());
    grant.granted = grant.taken + std::min(wanted, 1 + before + free);
    used_ += shared_part(grant) - before;
  }

  std::uint32_t shared_;
  std::uint32_t window_;
  std::uint32_t peers_ = 0;
  std::uint32_t used_ = 0;
};

}  // namespace bowline::verbs
