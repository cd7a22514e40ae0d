// SPDX-License-Identifier: BSD-3-Clause
// PeerCredits: the credits between this process and one peer, in both directions.
#pragma once

#include <cstdint>
#include <utility>

#include "verbs/connection/credits.hpp"

namespace bowline::verbs {

class PeerCredits {
 public:
  explicit PeerCredits(CreditPool& pool) noexcept : pool_(pool) {}

  // ---- what this process may send

  /// Whether the message with this number may be sent.
  bool allows(std::uint32_t message) const noexcept { return message != allowed_; }
  /// By the handshake of a new queue pair, the peer allows messages with lower numbers.
  void start(std::uint32_t granted) noexcept { allowed_ = granted; }
  /// By a message, which may be older than another one, the peer allows messages with lower numbers.
  void allow(std::uint32_t granted) noexcept {
    if (static_cast<std::int32_t>(granted - allowed_) > 0) allowed_ = granted;
  }

  // ---- what the peer may send

  /// The grant to admit to the pool, with CreditPool::admit(); nullptr if the peer is admitted already.
  Grant* grant_to_admit() noexcept { return admitted_ ? nullptr : &grant_; }
  void note_admitted() noexcept { admitted_ = true; }
  /// The peer may send messages with lower numbers.
  std::uint32_t granted() const noexcept { return grant_.granted; }
  /// The peer has been told of granted().
  void note_told() noexcept { grant_.told = grant_.granted; }
  /// Whether the peer needs a message that tells its credits.
  bool must_tell() const noexcept { return pool_.must_tell(grant_); }
  /// The sink has taken a message of the peer. Returns must_tell().
  bool taken() noexcept {
    if (!admitted_) return false;  // messages that the peer could still send do not count
    pool_.taken(grant_);
    return must_tell();
  }
  /// The peer sends nothing any more.
  void dismiss() noexcept {
    if (std::exchange(admitted_, false)) pool_.dismiss(grant_);
  }

 private:
  CreditPool& pool_;
  Grant grant_;
  std::uint32_t allowed_ = 0;
  bool admitted_ = false;
};

}  // namespace bowline::verbs
