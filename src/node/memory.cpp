// SPDX-License-Identifier: BSD-3-Clause
#include "node/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

namespace bowline::node {
namespace {

constexpr const char* mounts_path = "/proc/self/mountinfo";

/// Removes the text up to `separator`, and the separator, from `rest` and returns the text.
std::string_view cut(std::string_view& rest, char separator) {
  const std::string_view piece = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
  return piece;
}

std::optional<std::uint64_t> number(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{}) return std::nullopt;
  return value;
}

bool has_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    if (cut(list, ',') == item) return true;
  }
  return false;
}

std::uint64_t difference(std::uint64_t limit, std::uint64_t used) {
  if (limit == no_limit) return no_limit;
  return limit > used ? limit - used : 0;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > no_limit - b ? no_limit : a + b;
}

/// A mounted hierarchy of cgroups: the directory where its cgroup `root` is mounted.
struct Mount {
  std::string_view root;
  std::string_view point;
};

/// The mount of version 2, or of version 1's memory controller.
std::optional<Mount> find_mount(std::string_view mountinfo, int version) {
  while (!mountinfo.empty()) {
    std::string_view line = cut(mountinfo, '\n');
    for (int i = 0; i < 3; ++i) cut(line, ' ');  // mount id, parent, device
    const Mount mount{.root = cut(line, ' '), .point = cut(line, ' ')};
    const std::size_t end_of_options = line.find(" - ");
    if (end_of_options == std::string_view::npos) continue;
    line.remove_prefix(end_of_options + 3);
    const std::string_view type = cut(line, ' ');
    cut(line, ' ');  // source
    if (version == 2 ? type == "cgroup2" : type == "cgroup" && has_item(line, "memory")) return mount;
  }
  return std::nullopt;
}

void add_levels(std::vector<MemoryGroup>& groups, int version, const Mount& mount, std::string_view path) {
  // The part of the path below the mount; for a path outside of it (another namespace) the mount itself.
  if (mount.root != "/") path = path.starts_with(mount.root) ? path.substr(mount.root.size()) : std::string_view{};
  if (path.find("/..") != std::string_view::npos) path = {};
  while (path.size() > 1) {
    groups.push_back({version, std::string(mount.point) + std::string(path)});
    path = path.substr(0, path.rfind('/'));
  }
  groups.push_back({version, std::string(mount.point)});
}

/// The memory left below a group's limits. The kernel can reclaim pages of files for ours. `swap`: the machine's free
/// swap space. The group's statistics are slow, so they are read only if the group seems to have too little memory.
std::uint64_t room_in(const MemoryGroup& group, std::uint64_t bytes, std::uint64_t swap, const ReadFile& read) {
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

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

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

std::uint64_t amount_in(const std::optional<std::string>& text) {
  // Version 1 writes "no limit" as the largest multiple of the page size.
  constexpr std::uint64_t huge = std::uint64_t{1} << 62;
  const auto value = number(text.value_or(""));
  return value && *value < huge ? *value : no_limit;
}

std::vector<MemoryGroup> memory_groups(std::string_view cgroup, std::string_view mountinfo) {
  std::vector<MemoryGroup> groups;
  while (!cgroup.empty()) {
    std::string_view path = cut(cgroup, '\n');  // "hierarchy:controllers:path"
    const std::string_view hierarchy = cut(path, ':');
    const std::string_view controllers = cut(path, ':');
    const bool two = hierarchy == "0" && controllers.empty();
    if (!two && !has_item(controllers, "memory")) continue;
    if (const auto mount = find_mount(mountinfo, two ? 2 : 1)) add_levels(groups, two ? 2 : 1, *mount, path);
  }
  return groups;
}

std::optional<std::string> read_system_file(const std::string& path) {
  if (path != mounts_path) return read_file(path);
  static const std::optional<std::string> mounts = read_file(path);
  return mounts;
}

std::optional<MemoryRoom> memory_short_of(std::uint64_t bytes, const ReadFile& read) {
  const std::string meminfo = read("/proc/meminfo").value_or("");
  const std::uint64_t swap = value_of(meminfo, "SwapFree").value_or(0);
  MemoryRoom least{no_limit, ""};
  const auto consider = [&](std::uint64_t room, std::string where) {
    if (room < least.bytes) least = {room, std::move(where)};
  };
  if (const auto available = value_of(meminfo, "MemAvailable")) consider(sum(*available, swap), "on this machine");
  for (const MemoryGroup& group :
       memory_groups(read("/proc/self/cgroup").value_or(""), read(mounts_path).value_or(""))) {
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
