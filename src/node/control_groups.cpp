// SPDX-License-Identifier: BSD-3-Clause
#include "node/control_groups.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace bowline::node {
namespace {

constexpr const char* mounts_file = "/proc/self/mountinfo";

bool has_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    if (cut(list, ',') == item) return true;
  }
  return false;
}

/// A mounted hierarchy of cgroups: the directory where its cgroup `root` is mounted.
struct Mount {
  std::string_view root;
  std::string_view point;
};

/// The mount of version 2, or of version 1's hierarchy of the controller.
std::optional<Mount> find_mount(std::string_view mountinfo, int version, std::string_view controller) {
  while (!mountinfo.empty()) {
    std::string_view line = cut(mountinfo, '\n');
    for (int i = 0; i < 3; ++i) cut(line, ' ');  // mount id, parent, device
    const Mount mount{.root = cut(line, ' '), .point = cut(line, ' ')};
    const std::size_t end_of_options = line.find(" - ");
    if (end_of_options == std::string_view::npos) continue;
    line.remove_prefix(end_of_options + 3);
    const std::string_view type = cut(line, ' ');
    cut(line, ' ');  // source
    if (version == 2 ? type == "cgroup2" : type == "cgroup" && has_item(line, controller)) return mount;
  }
  return std::nullopt;
}

void add_levels(std::vector<ControlGroup>& groups, int version, const Mount& mount, std::string_view path) {
  // The part of the path below the mount; for a path outside of the mount (another namespace) the mount itself.
  if (mount.root != "/") path = path.starts_with(mount.root) ? path.substr(mount.root.size()) : std::string_view{};
  if (path.find("/..") != std::string_view::npos) path = {};
  while (path.size() > 1) {
    groups.push_back({version, std::string(mount.point) + std::string(path)});
    path = path.substr(0, path.rfind('/'));
  }
  groups.push_back({version, std::string(mount.point)});
}

}  // namespace

std::string_view cut(std::string_view& rest, char separator) {
  const std::string_view piece = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
  return piece;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<std::string> read_system_file(const std::string& path) {
  if (path != mounts_file) return read_file(path);
  static const std::optional<std::string> mounts = read_file(path);
  return mounts;
}

std::vector<ControlGroup> control_groups(std::string_view controller, std::string_view cgroup,
                                         std::string_view mountinfo) {
  std::vector<ControlGroup> groups;
  while (!cgroup.empty()) {
    std::string_view path = cut(cgroup, '\n');  // "hierarchy:controllers:path"
    const std::string_view hierarchy = cut(path, ':');
    const std::string_view controllers = cut(path, ':');
    const bool two = hierarchy == "0" && controllers.empty();
    if (!two && !has_item(controllers, controller)) continue;
    if (const auto mount = find_mount(mountinfo, two ? 2 : 1, controller))
      add_levels(groups, two ? 2 : 1, *mount, path);
  }
  return groups;
}

std::vector<ControlGroup> control_groups(std::string_view controller, const ReadFile& read) {
  return control_groups(controller, read("/proc/self/cgroup").value_or(""), read(mounts_file).value_or(""));
}

std::uint64_t amount_in(const std::optional<std::string>& text) {
  // Version 1 writes "no limit" as the largest multiple of the page size.
  constexpr std::uint64_t huge = std::uint64_t{1} << 62;
  std::uint64_t value = 0;
  const std::string digits = text.value_or("");
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return result.ec == std::errc{} && value < huge ? value : no_limit;
}

}  // namespace bowline::node
