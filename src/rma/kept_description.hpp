// SPDX-License-Identifier: BSD-3-Clause
// KeptDescription: what a member on another node has told about its memory, kept for the processes of this node. The
// first process that learns it writes it; all read it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/atomic.hpp"
#include "rma/messages/rma_wire.hpp"

namespace bowline::rma {

/// Lies in memory that starts as zeros.
class alignas(64) KeptDescription {
 public:
  using Key = std::array<std::byte, 160>;

  /// Writes the description, unless one is there or is being written, or the key is too long.
  void keep(const Description& facts, std::span<const std::byte> key) noexcept {
    std::uint32_t found = empty;
    if (key.size() > key_.size() || !state_.compare_exchange_strong(found, being_written, std::memory_order_relaxed))
      return;
    Key whole{};
    std::ranges::copy(key, whole.begin());
    copy_to_shared(&facts_, &facts, sizeof facts);
    copy_to_shared(key_.data(), whole.data(), whole.size());
    key_bytes_.store(static_cast<std::uint32_t>(key.size()), std::memory_order_relaxed);
    state_.store(complete, std::memory_order_release);
  }
  /// Reads the description, and returns the length of its key; nothing if there is no description.
  std::optional<std::size_t> find(Description& facts, Key& key) const noexcept {
    if (state_.load(std::memory_order_acquire) != complete) return std::nullopt;
    copy_from_shared(&facts, &facts_, sizeof facts);
    copy_from_shared(key.data(), key_.data(), key.size());
    return std::min<std::size_t>(key_bytes_.load(std::memory_order_relaxed), key.size());
  }

 private:
  static constexpr std::uint32_t empty = 0, being_written = 1, complete = 2;

  Atomic<std::uint32_t> state_;
  Atomic<std::uint32_t> key_bytes_;
  Description facts_;
  Key key_;
};

}  // namespace bowline::rma
