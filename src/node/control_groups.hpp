// SPDX-License-Identifier: BSD-3-Clause
// The control groups (cgroups) of this process, of either version, whose files hold limits.
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

/// Reads the whole text of a file; nothing if it cannot be read. Tests pass their own function.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

std::optional<std::string> read_file(const std::string& path);
/// Reads a file. Caches the list of mounts, because the kernel takes long to produce it and the mounts of cgroups do
/// not change.
std::optional<std::string> read_system_file(const std::string& path);

struct ControlGroup {
  int version;            ///< 1 or 2
  std::string directory;  ///< directory of its files

  bool operator==(const ControlGroup&) const = default;
};

/// The cgroups in which this controller ("memory", "pids") limits this process, innermost first. `cgroup`, `mountinfo`:
/// the texts of these files of /proc/self. Levels above the mounts are not visible and not included.
std::vector<ControlGroup> control_groups(std::string_view controller, std::string_view cgroup,
                                         std::string_view mountinfo);
/// The cgroups in which this controller limits this process, from the files of /proc/self.
std::vector<ControlGroup> control_groups(std::string_view controller, const ReadFile& read);

/// Parses a limit or a usage from a cgroup file; no_limit for "max", for version 1's huge number, and for no text.
std::uint64_t amount_in(const std::optional<std::string>& text);

/// Removes the text up to `separator`, and the separator, from `rest` and returns the text.
std::string_view cut(std::string_view& rest, char separator);

}  // namespace bowline::node
