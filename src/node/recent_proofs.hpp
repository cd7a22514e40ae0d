// SPDX-License-Identifier: BSD-3-Clause
// RecentProofs: of which processes it was proved a moment ago that they have the pid under which they are known.
//
// The kernel gives pids in a circle, so a pid that was right a moment ago cannot belong to another process yet: within
// `lifetime` millions of processes would have to be started per second.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "node/peer_memory.hpp"

namespace bowline::node {

/// Any thread may call the functions. A process whose place another one has taken is proved again.
class RecentProofs {
 public:
  /// In milliseconds, like `now`.
  static constexpr std::uint32_t lifetime = 8;

  bool holds(const ProcessMark& of, std::uint32_t now) const noexcept {
    const std::uint64_t proof = place(of).load(std::memory_order_relaxed);
    return proof >> 32 == digest(of) && now - static_cast<std::uint32_t>(proof) < lifetime;
  }
  void note(const ProcessMark& of, std::uint32_t now) noexcept {
    places_[index(of)].store(digest(of) << 32 | now, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t places = 64;

  static std::size_t index(const ProcessMark& of) noexcept { return static_cast<std::size_t>(of.process) % places; }
  const Atomic<std::uint64_t>& place(const ProcessMark& of) const noexcept { return places_[index(of)]; }
  /// 32 bits, never 0.
  static std::uint64_t digest(const ProcessMark& of) noexcept {
    const std::uint64_t mixed =
        (of.value ^ of.address ^ static_cast<std::uint64_t>(of.process) << 32) * 0x9e3779b97f4a7c15U;
    return mixed >> 32 | 1;
  }

  std::array<Atomic<std::uint64_t>, places> places_{};  ///< the digest, and when the proof was made
};

}  // namespace bowline::node
