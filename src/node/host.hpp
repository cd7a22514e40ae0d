// SPDX-License-Identifier: BSD-3-Clause
// Facts about this host that need no topology: its name and the cores this process may use.
#pragma once

#include <string>

namespace bowline::node {

/// The host's name as gethostname(2) gives it, at most 255 characters.
std::string host_name();

/// Number of cores in this process's affinity mask, at least 1.
int usable_cores();

}  // namespace bowline::node
