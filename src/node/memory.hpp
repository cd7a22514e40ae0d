// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process can still get before the kernel kills a process for lack of memory: the machine's
// available memory, and the limits of the memory cgroups of this process.
//
// The kernel grants a memory file more pages than exist, and kills a process when these are written; so the caller
// checks first.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "node/control_groups.hpp"

namespace bowline::node {

/// A limit on memory and the memory left below it.
struct MemoryRoom {
  std::uint64_t bytes;
  std::string
      where;  ///< where the limit applies, as text after "are left": "on this machine", "in the memory cgroup ..."

  bool operator==(const MemoryRoom&) const = default;
};

/// The limit that leaves the least memory, if that is less than `bytes`. Nothing if there is enough, or if no limit is
/// known.
std::optional<MemoryRoom> memory_short_of(std::uint64_t bytes, const ReadFile& read = read_system_file);

/// Answers the question of memory_short_of() for many small amounts, one soon after the other. It does not ask the
/// kernel for each amount, because the question takes longer than the allocation. Where it has found room, it grants a
/// small part of that room without a question for a short time. The part is so small that hundreds of processes
/// together leave most of the room. Threads: any.
class MemoryAllowance {
 public:
  static constexpr std::uint64_t most_bytes =
      1 << 20;                                 ///< they are at most this fraction of the room: one byte in so many
  static constexpr std::uint64_t part = 4096;  ///< part of the room (one in so many bytes) that they are at most
  static constexpr std::chrono::milliseconds lifetime{100};
  using Time = std::chrono::steady_clock::time_point;

  /// The bound that leaves less than `bytes` and `margin`, if there is one.
  std::optional<MemoryRoom> short_of(std::uint64_t bytes, std::uint64_t margin,
                                     Time now = std::chrono::steady_clock::now(),
                                     const ReadFile& read = read_system_file);

 private:
  std::mutex mutex_;
  std::uint64_t left_ = 0;
  Time ends_;
};

// ---- parts of memory_short_of(), with the texts of files as arguments

/// The number behind `key` in lines "key: 12 kB" or "key 12", in bytes; nothing if there is none.
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key);

}  // namespace bowline::node
