// SPDX-License-Identifier: BSD-3-Clause
// Descriptors of processes, and of what processes hold (pidfd_open(2), pidfd_getfd(2)).
#pragma once

#include <sys/types.h>

#include "node/descriptor.hpp"

namespace bowline::node {

/// A descriptor of the process, closed on exec. Holds none, and errno says why, if that fails.
Descriptor open_process(pid_t process) noexcept;

/// A copy of a descriptor of another process, which this process must be allowed to trace: both refer to the same open
/// file. `process`: from open_process(). Holds none, and errno says why, if that fails.
Descriptor copy_descriptor_of(const Descriptor& process, int number) noexcept;

}  // namespace bowline::node
