// SPDX-License-Identifier: BSD-3-Clause
// The cache that this process's cores share.
#pragma once

namespace bowline::node {

/// A number for the last-level cache that all cores in this process's affinity mask share: the lowest core that uses
/// it, so processes of a node that share the cache get the same number. -1 if those cores use several, or if the system
/// does not say. Reads one file in /sys; a topology of hwloc takes hundreds.
int last_level_cache();

}  // namespace bowline::node
