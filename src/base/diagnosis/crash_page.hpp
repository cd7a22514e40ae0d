// SPDX-License-Identifier: BSD-3-Clause
// What a user reads when the process crashes: the signal, the address, and the stack with source lines, on standard
// error. The program's own handlers keep precedence, and core dumps are made as before. BOWLINE_BACKTRACE=0 ends it.
#pragma once

#include <string_view>

namespace bowline {

/// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, each of them only if the signal has its default
/// action. `who`: such as "rank 3 on node7". The calling thread gets a stack of its own for the handlers, so it can
/// tell of an overflow of its usual stack, too. Call once per process.
void show_crashes(std::string_view who);

}  // namespace bowline
