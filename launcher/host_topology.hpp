// SPDX-License-Identifier: BSD-3-Clause
// The part of this machine's hardware that matters for placing ranks, discovered quickly.
#pragma once
#include <hwloc.h>

#include <memory>
#include <string>
#include <vector>

namespace bowline::launcher {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

/// "0-3,8"
std::string cpu_list(hwloc_const_bitmap_t cpus);

/// Whether a Topology includes caches, whose discovery takes time. (Not a bool, because a string would convert to one.)
enum class Caches { left_out, included };

/// Cores, NUMA nodes and sockets, and which of their CPUs this process may use; no devices. Throws LaunchError.
class Topology {
 public:
  explicit Topology(Caches caches);
  /// Makes a topology from hwloc's description of an imagined machine, such as "pack:2 core:4 pu:2"; all its CPUs are
  /// usable.
  explicit Topology(const std::string& synthetic);
  ~Topology() { hwloc_topology_destroy(handle_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  hwloc_topology_t handle() const { return handle_; }
  hwloc_const_bitmap_t usable() const { return usable_.get(); }

  /// The usable CPUs of each object of this type that has usable CPUs, in hardware order; the usable CPUs of the whole
  /// machine if it has no such objects.
  std::vector<Bitmap> objects(hwloc_obj_type_t type) const;

 private:
  hwloc_topology_t handle_;
  Bitmap usable_;
};

}  // namespace bowline::launcher
