// SPDX-License-Identifier: BSD-3-Clause
// What a user reads when the process crashes: the signal, the address, and the stack with source lines, on standard
// error. The program's own handlers keep precedence, and core dumps are made as before.
#pragma once

namespace bowline {

/// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT, each of them only if the signal has its default
/// action. The calling thread gets a stack of its own for the handlers, so it can tell of an overflow of its usual
/// stack, too. Call once per process, after prepare_stack_pages().
void show_crashes();

}  // namespace bowline
