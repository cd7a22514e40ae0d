// SPDX-License-Identifier: BSD-3-Clause
#include "node/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace bowline::node {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{}) return std::nullopt;
  return value;
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  if (limit == no_limit) return no_limit;
  return limit > used ? limit - used : 0;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > no_limit - b ? no_limit : a + b;
}

/// The memory left below a group's limits. The kernel can reclaim pages of files for memory of this process. `swap`:
/// the machine's free swap space. The group's statistics are slow, so they are read only if the group seems to have too
/// little memory.
std::uint64_t room_in(const ControlGroup& group, std::uint64_t bytes, std::uint64_t swap, const ReadFile& read) {
  const bool two = group.version == 2;
  const auto amount = [&](const char* name) { return amount_in(read(group.directory + name)); };
  const std::uint64_t limit = amount(two ? "/memory.max" : "/memory.limit_in_bytes");
  if (limit == no_limit) return no_limit;
  std::uint64_t room = difference(limit, amount(two ? "/memory.current" : "/memory.usage_in_bytes"));
  if (room >= bytes) return room;

  const std::string stat = read(group.directory + "/memory.stat").value_or("");
  for (const char* key : {"inactive_file", "active_file"}) {
    room = sum(room, value_of(stat, two ? key : fmt::format("total_{}", key)).value_or(0));
  }
  if (swap == 0) return room;
  if (two) return sum(room, std::min(swap, difference(amount("/memory.swap.max"), amount("/memory.swap.current"))));
  // Version 1 limits the sum of memory and swap.
  const std::uint64_t both = difference(amount("/memory.memsw.limit_in_bytes"), amount("/memory.memsw.usage_in_bytes"));
  return std::max(room, std::min(sum(room, swap), both));
}

}  // namespace

std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    if (!line.starts_with(key)) continue;
    line.remove_prefix(key.size());
    if (line.starts_with(':')) line.remove_prefix(1);
    if (!line.starts_with(' ') && !line.starts_with('\t')) continue;
    const auto value = number(line);
    if (value && line.ends_with(" kB")) return *value * 1024;
    return value;
  }
  return std::nullopt;
}

std::optional<MemoryRoom> memory_short_of(std::uint64_t bytes, const ReadFile& read) {
  const std::string meminfo = read("/proc/meminfo").value_or("");
  const std::uint64_t swap = value_of(meminfo, "SwapFree").value_or(0);
  MemoryRoom least{no_limit, ""};
  const auto consider = [&](std::uint64_t room, std::string where) {
    if (room < least.bytes) least = {room, std::move(where)};
  };
  if (const auto available = value_of(meminfo, "MemAvailable")) consider(sum(*available, swap), "on this machine");
  for (const ControlGroup& group : control_groups("memory", read)) {
    consider(room_in(group, bytes, swap, read), fmt::format("in the memory cgroup {}", group.directory));
  }
  if (least.bytes >= bytes) return std::nullopt;
  return least;
}

std::optional<MemoryRoom> MemoryAllowance::short_of(std::uint64_t bytes, std::uint64_t margin, Time now,
                                                    const ReadFile& read) {
  const std::lock_guard hold(mutex_);
  if (bytes > left_ || now >= ends_) {
    auto found = memory_short_of(std::max(sum(bytes, margin), most_bytes * part), read);
    if (found && found->bytes < sum(bytes, margin)) return found;
    left_ = std::max(bytes, found ? found->bytes / part : most_bytes);
    ends_ = now + lifetime;
  }
  left_ -= bytes;
  return std::nullopt;
}

}  // namespace bowline::node
