// SPDX-License-Identifier: BSD-3-Clause
// Pages of registered memory (FABRIC_PINNED=1). An adapter goes on with the pages that a registration has found,
// whatever the program maps at their address later: it then sends old data, or writes where nobody reads. The fabric,
// which uses addresses, would hide that; so it remembers the pages and compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabric {

inline constexpr std::uintptr_t page = 4096;

/// Keeps the pages of a piece of memory where they are, and knows their numbers. The memory is mapped.
class Pins {
 public:
  Pins(const void* address, std::size_t length);
  ~Pins();
  Pins(const Pins&) = delete;
  Pins& operator=(const Pins&) = delete;

  /// The physical numbers of the pages.
  const std::vector<std::uint64_t>& frames() const { return frames_; }

 private:
  std::vector<std::uint64_t> frames_;
  int pipe_;
};

/// Ends the program unless the pages at an address of a process are still those with these numbers, an array in the
/// memory of that process.
void check_pages(int process, std::uint64_t address, std::uint64_t length, std::uint64_t frames);

}  // namespace fabric
