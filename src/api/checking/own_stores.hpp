// SPDX-License-Identifier: BSD-3-Clause
// Stores of a process to its own memory in a window, which nobody reports: they are found by comparing the memory with
// a copy of it from the beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/checking/window_access.hpp"

namespace bowline::api::checking {

/// What a target has done itself since the beginning.
struct TargetFacts {
  int rank = 0;
  bool informed = false;                                   ///< it may have learnt of what others did
  bool locked_exclusively = false, locked_shared = false;  ///< its own memory
};

struct OwnStore {
  WindowAccess access;  ///< of another member: it reads or writes the same bytes
  std::uint64_t bytes;  ///< the bytes that have changed, or may have
};

/// The accesses that are certainly concurrent with a store of the target to the same bytes and have not been told, one
/// for each place in the program. `accesses`: all that write to this memory, and those that read from it. `before` and
/// `now` have one length.
std::vector<OwnStore> find_own_stores(std::span<const std::byte> before, std::span<const std::byte> now,
                                      std::span<const WindowAccess> accesses, const TargetFacts& target,
                                      ToldPairs& told);

}  // namespace bowline::api::checking
