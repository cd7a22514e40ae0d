// SPDX-License-Identifier: BSD-3-Clause
// Processes that have ended while gdb held them.
#pragma once
#include <sys/types.h>

namespace bowline::launcher {

/// A process that is killed while it stands in gdb stays, for its parent, until gdb looks at it: when its user gives a
/// command. If this process has ended and gdb has it, gdb is asked to end.
void end_gdb_of(pid_t process);

}  // namespace bowline::launcher
