// SPDX-License-Identifier: BSD-3-Clause
// Sets of cores, from the scheduler and from the kernel's files.
#pragma once

#include <hwloc.h>
#include <sys/types.h>

#include <memory>
#include <string>

namespace bowline::node {

using Cores = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

/// The cores to which a process is bound; 0 stands for this process. None if the process is gone.
Cores cores_of(pid_t process);

/// The cores of a list such as "0-3,8"; none if it is empty.
Cores cores_in(const std::string& list);

/// The first line of a file; empty if it cannot be read.
std::string first_line(const std::string& file);

}  // namespace bowline::node
