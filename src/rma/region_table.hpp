// SPDX-License-Identifier: BSD-3-Clause
// RegionTable: the regions that a member of a dynamic window has attached, in memory that its neighbours read. The
// owner writes without waiting for readers; a reader that meets a change reads again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
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
  Found find(const TargetData& place) const noexcept;

 private:
  Shown* shown_;
};

}  // namespace bowline::rma
