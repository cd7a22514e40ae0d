// SPDX-License-Identifier: BSD-3-Clause
#include "node/hardware_around.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

namespace bowline::node {
namespace {

constexpr int most_caches = 8;

/// The cores in a list that has one of these names; older kernels know only the second name.
Cores listed(const std::filesystem::path& folder, const char* name, const char* older_name) {
  Cores cores = cores_in(first_line(folder / name));
  return cores.empty() ? cores_in(first_line(folder / older_name)) : cores;
}

/// The cores of a core's NUMA node: a core's folder has a link to the folder of its NUMA node.
Cores numa_node_in(const std::filesystem::path& folder) {
  constexpr std::string_view prefix = "node";
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix) || name.find_first_not_of("0123456789", prefix.size()) != std::string::npos) continue;
    return cores_in(first_line(entry.path() / "cpulist"));
  }
  return {};
}

std::optional<HardwareKind> cache_of_level(const std::string& level) noexcept {
  if (level == "1") return HardwareKind::l1_cache;
  if (level == "2") return HardwareKind::l2_cache;
  if (level == "3") return HardwareKind::l3_cache;
  return std::nullopt;
}

/// The cores to which any thread of this process is bound.
Cores cores_of_threads() {
  Cores all = cores_of(0);
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", none)) {
    const std::string name = entry.path().filename();
    pid_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc()) continue;
    all |= cores_of(thread);
  }
  return all;
}

}  // namespace

HardwareAround::HardwareAround(int core, const std::string& folder) {
  const std::filesystem::path here = fmt::format("{}/cpu{}", folder, core);
  const auto of = [this](HardwareKind kind) -> Cores& { return sharers_[static_cast<std::size_t>(kind)]; };
  of(HardwareKind::package) = listed(here / "topology", "package_cpus_list", "core_siblings_list");
  of(HardwareKind::core) = listed(here / "topology", "core_cpus_list", "thread_siblings_list");
  of(HardwareKind::numa_node) = numa_node_in(here);
  of(HardwareKind::hardware_thread) = cores_in(std::to_string(core));
  for (int index = 0; index < most_caches; ++index) {
    const std::filesystem::path cache = here / fmt::format("cache/index{}", index);
    const std::string level = first_line(cache / "level");
    if (level.empty()) break;
    const auto kind = cache_of_level(level);
    // The caches of data and of instructions have the same cores.
    if (kind && of(*kind).empty()) of(*kind) = cores_in(first_line(cache / "shared_cpu_list"));
  }
}

const Cores& HardwareAround::sharers_of_last_cache() const noexcept {
  for (const HardwareKind kind : {HardwareKind::l3_cache, HardwareKind::l2_cache}) {
    if (!sharers(kind).empty()) return sharers(kind);
  }
  return sharers(HardwareKind::l1_cache);
}

const HardwareAround& hardware_around(int core) {
  static std::mutex mutex;
  static auto& known =
      *new std::map<int, HardwareAround>;  // never destroyed, not even by exit(): other threads may still use the map
  const std::lock_guard hold(mutex);
  const auto found = known.find(core);
  return found != known.end() ? found->second : known.emplace(core, core).first->second;
}

const HardwareAround& hardware_here() {
  return hardware_around(cores_of(0).first());
}

std::array<int, hardware_kinds> instances_here() {
  const Cores mine = cores_of_threads();
  const HardwareAround& around = hardware_around(mine.first());
  std::array<int, hardware_kinds> instances{};
  for (std::size_t kind = 0; kind < hardware_kinds; ++kind) {
    const Cores& sharers = around.sharers(static_cast<HardwareKind>(kind));
    const bool bound = mine.is_within(sharers);
    instances[kind] = sharers.empty() ? 0 : bound ? sharers.first() : -1;
  }
  return instances;
}

}  // namespace bowline::node
