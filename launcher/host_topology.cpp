// SPDX-License-Identifier: BSD-3-Clause
// See host_topology.hpp.
#include "launcher/host_topology.hpp"

#include <cstdlib>
#include <optional>

#include "launcher/usage_error.hpp"
#include "node/affinity.hpp"

namespace bowline::launcher {
namespace {

/// Disables hwloc's plugins, which look for graphics cards and connect to X servers. The plugins take longer than the
/// whole start of a job.
class WithoutPlugins {
 public:
  WithoutPlugins() {
    if (const char* old = std::getenv(variable)) old_ = old;
    setenv(variable, "/nonexistent", 1);
  }
  ~WithoutPlugins() {
    if (old_)
      setenv(variable, old_->c_str(), 1);
    else
      unsetenv(variable);
  }
  WithoutPlugins(const WithoutPlugins&) = delete;
  WithoutPlugins& operator=(const WithoutPlugins&) = delete;

 private:
  static constexpr const char* variable = "HWLOC_PLUGINS_PATH";
  std::optional<std::string> old_;
};

}  // namespace

std::string cpu_list(hwloc_const_bitmap_t cpus) {
  char* text = nullptr;
  hwloc_bitmap_list_asprintf(&text, cpus);
  std::string list = text;
  free(text);
  return list;
}

Topology::Topology(Caches caches) : usable_(hwloc_bitmap_alloc()) {
  const WithoutPlugins without_plugins;
  if (hwloc_topology_init(&handle_) != 0) throw LaunchError("hwloc cannot be initialized");
  hwloc_topology_set_all_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (hwloc_obj_type_t type : {HWLOC_OBJ_CORE, HWLOC_OBJ_PACKAGE}) {
    hwloc_topology_set_type_filter(handle_, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  if (caches == Caches::included) hwloc_topology_set_cache_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(
      handle_, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS);
  if (!node::affinity_is_known()) hwloc_topology_set_synthetic(handle_, node::machine_without_affinity().c_str());
  if (hwloc_topology_load(handle_) != 0) throw LaunchError("hwloc cannot read this machine's topology");
  if (hwloc_get_cpubind(handle_, usable_.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    hwloc_bitmap_copy(usable_.get(), hwloc_topology_get_allowed_cpuset(handle_));
  }
}

Topology::Topology(const std::string& synthetic) : usable_(hwloc_bitmap_alloc()) {
  if (hwloc_topology_init(&handle_) != 0) throw LaunchError("hwloc cannot be initialized");
  if (hwloc_topology_set_synthetic(handle_, synthetic.c_str()) != 0 || hwloc_topology_load(handle_) != 0) {
    throw LaunchError("hwloc does not understand {}", synthetic);
  }
  hwloc_bitmap_copy(usable_.get(), hwloc_topology_get_topology_cpuset(handle_));
}

std::vector<Bitmap> Topology::objects(hwloc_obj_type_t type) const {
  std::vector<Bitmap> found;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(handle_, type, object)) != nullptr;) {
    Bitmap cpus(hwloc_bitmap_alloc());
    hwloc_bitmap_and(cpus.get(), object->cpuset, usable_.get());
    if (!hwloc_bitmap_iszero(cpus.get())) found.push_back(std::move(cpus));
  }
  if (found.empty()) found.emplace_back(hwloc_bitmap_dup(usable_.get()));
  return found;
}

}  // namespace bowline::launcher
