// SPDX-License-Identifier: BSD-3-Clause
// The choice of the paths to a target (target_path.hpp), from what this process can do with the target's memory and the
// tunable rma_path.
#pragma once

#include <cstdint>
#include <string_view>

#include "transport/transport.hpp"

namespace bowline::rma {

enum class PathKind : std::uint8_t { mapped, single_copy, adapter, messages };
std::string_view name_of(PathKind kind) noexcept;

/// Where a target is, and what this process can do with its memory.
struct Reachability {
  bool own = false;          ///< the target is this process
  bool mapped = false;       ///< its memory is mapped here
  bool single_copy = false;  ///< system calls may read and write it; only on this node
  bool dynamic = false;      ///< the window's memory is attached by its owners
  transport::RemoteAccess network = transport::RemoteAccess::none;  ///< what the network does; none on this node
};

struct PathChoice {
  PathKind data;         ///< puts and gets
  PathKind accumulates;  ///< path of accumulates, unless the network executes them
};

PathChoice choose_path(const Reachability& target) noexcept;

/// Whether the user wants system calls on a node even for memory that is mapped.
bool only_single_copy() noexcept;
/// Whether the user wants messages to all other processes.
bool only_messages() noexcept;

}  // namespace bowline::rma
