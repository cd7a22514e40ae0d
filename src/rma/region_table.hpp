// SPDX-License-Identifier: BSD-3-Clause
// RegionTable: the regions that a member of a dynamic window has attached, in memory that its neighbours read. The
// owner writes without waiting for readers; a reader that meets a change reads again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/cpu_relax.hpp"
#include "rma/regions.hpp"
#include "rma/synchronization/control_lines.hpp"
#include "rma/target_data.hpp"

namespace bowline::rma {

class RegionTable {
 public:
  /// More regions than this are not shown to neighbours, which then send messages.
  static constexpr std::size_t most = 1023;

  /// Lies in memory that starts as zeros.
  struct Shown {
    Atomic<std::uint64_t> version{0};  ///< odd while the owner writes
    Atomic<std::uint32_t> count{0};
    Atomic<std::uint32_t> incomplete{0};  ///< whether there are more regions than shown
    struct Entry {
      Atomic<std::uint64_t> address;
      Atomic<std::uint64_t> size;
    };
    std::array<Entry, most> entries;
  };
  static constexpr std::size_t bytes = 64 + sizeof(Shown::Entry) * (most + 1);
  static_assert(sizeof(Shown) <= bytes);

  explicit RegionTable(Shown* shown) noexcept : shown_(shown) {}

  void show(const Regions::Ranges& regions) noexcept;

  enum class Found { yes, no, unknown };
  /// Whether a region holds the place; unknown if not all regions are shown.
  Found find(const TargetData& place) const noexcept {
    return find_if([&](std::uint64_t address, std::uint64_t size) { return lies_within_region(place, address, size); });
  }
  /// Whether `accepts(address, size)` holds of a region.
  template <class Accepts>
  Found find_if(Accepts accepts) const {
    for (;;) {
      const std::uint64_t version = shown_->version.load(std::memory_order_acquire);
      bool found = false;
      const std::size_t count = std::min<std::size_t>(shown_->count.load(std::memory_order_relaxed), most);
      for (std::size_t i = 0; i < count && !found; ++i) {
        const Shown::Entry& entry = shown_->entries[i];
        found = accepts(entry.address.load(std::memory_order_relaxed), entry.size.load(std::memory_order_relaxed));
      }
      const bool incomplete = shown_->incomplete.load(std::memory_order_relaxed) != 0;
      thread_fence(std::memory_order_acquire);  // the reads above stay before the read of the next line
      if (version % 2 == 0 && shown_->version.load(std::memory_order_relaxed) == version)
        return found ? Found::yes : incomplete ? Found::unknown : Found::no;
      cpu_relax();
    }
  }

 private:
  Shown* shown_;
};

}  // namespace bowline::rma
