// SPDX-License-Identifier: BSD-3-Clause
// The hardware that processes of a node can share, as the kernel describes it from the view of one core. A topology of
// hwloc, which has the whole machine, takes milliseconds to seconds and hundreds of files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "node/core_set.hpp"

namespace bowline::node {

/// From the widest to the narrowest.
enum class HardwareKind : std::uint8_t { package, numa_node, l3_cache, l2_cache, l1_cache, core, hardware_thread };
inline constexpr std::size_t hardware_kinds = 7;

/// The cores that share an instance of each kind with one core.
class HardwareAround {
 public:
  /// Reads a dozen files. `folder`: the kernel's folder, or one that looks like it.
  explicit HardwareAround(int core, const std::string& folder = "/sys/devices/system/cpu");

  /// The cores that share this hardware. None if the node has no such kind of hardware, or if the system does not say.
  const Cores& sharers(HardwareKind kind) const noexcept { return sharers_[static_cast<std::size_t>(kind)]; }
  /// The cores that share the widest cache.
  const Cores& sharers_of_last_cache() const noexcept;

 private:
  std::array<Cores, hardware_kinds> sharers_;
};

/// The hardware around a core of this node. The first call for a core reads the kernel's files; MPI_Init makes that
/// call for the first core of the process, so later calls open no file unless the process has moved to other cores.
/// Thread-safe.
const HardwareAround& hardware_around(int core);
/// The hardware around the first core of the calling thread.
const HardwareAround& hardware_here();

/// The instance of each kind on which this process runs as it is bound now: the number of the instance's lowest core,
/// -1 if the process may run on several, or 0 if the node has no such kind.
std::array<int, hardware_kinds> instances_here();

}  // namespace bowline::node
