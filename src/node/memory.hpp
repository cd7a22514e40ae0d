// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process can still get before the kernel ends somebody for want of it: what the machine has left,
// and what the memory cgroups that this process is in allow.
//
// The kernel grants a memory file more pages than there are, and kills when they are written; so one asks before.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::node {

inline constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// A bound on memory and what is left below it.
struct MemoryRoom {
  std::uint64_t bytes;
  std::string where;  ///< as it reads after "are left": "on this machine", "in the memory cgroup ..."

  bool operator==(const MemoryRoom&) const = default;
};

/// The whole text of a file; nothing if it cannot be read. Tests give their own.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

std::optional<std::string> read_file(const std::string& path);
/// The same, but of the mounts what they were the first time: the kernel takes long to list them, and cgroups stay
/// where they are mounted.
std::optional<std::string> read_system_file(const std::string& path);

/// The bound that leaves least, if that is less than `bytes`. Nothing if there is room, or no bound is known.
std::optional<MemoryRoom> memory_short_of(std::uint64_t bytes, const ReadFile& read = read_system_file);

// ---- its parts, which take the texts of files

/// The number behind `key` in lines "key: 12 kB" or "key 12", in bytes; nothing if there is none.
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key);

/// A limit or a usage as cgroup files have it; no_limit for "max", for version 1's huge number, and for no text.
std::uint64_t amount_in(const std::optional<std::string>& text);

/// A cgroup that bounds memory.
struct MemoryGroup {
  int version;            ///< 1 or 2
  std::string directory;  ///< where its files are

  bool operator==(const MemoryGroup&) const = default;
};

/// The memory cgroups that bound this process, innermost first, from /proc/self/cgroup and /proc/self/mountinfo. Levels
/// above the mounts cannot be seen and are left out.
std::vector<MemoryGroup> memory_groups(std::string_view cgroup, std::string_view mountinfo);

}  // namespace bowline::node
