// SPDX-License-Identifier: BSD-3-Clause
// The caches and the socket that processes share, by the cores to which they are bound.
#pragma once

#include <sys/types.h>

#include "base/nearness.hpp"

namespace bowline::node {

/// A number for the last-level cache that all cores in this process's affinity mask share: the lowest core that uses
/// it, so processes of a node that share the cache get the same number. -1 if these cores use several caches, or if the
/// system does not say.
int last_level_cache();

/// The narrowest hardware that this process and another process of this node share: all cores to which the two are
/// bound belong to it. `unknown` if their cores belong to several sockets, or if the system does not say.
Nearness nearness_to(pid_t process) noexcept;

}  // namespace bowline::node
