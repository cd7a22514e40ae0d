// SPDX-License-Identifier: BSD-3-Clause
// See mpir.hpp. Compiled with debug information, from which debuggers take the types, and apart from all other files,
// so that no compiler sees the bodies where it compiles the calls.
#include "launcher/debug/mpir.hpp"

extern "C" {

[[gnu::used]] volatile int MPIR_being_debugged = 0;
[[gnu::used]] volatile int MPIR_debug_state = 0;
[[gnu::used]] MPIR_PROCDESC* MPIR_proctable = nullptr;
[[gnu::used]] int MPIR_proctable_size = 0;
[[gnu::used]] char* MPIR_debug_abort_string = nullptr;

// Debuggers only ask whether these exist. The first says that this process is no rank; the second, that the debugger
// need not attach to all ranks, because the others go on when MPIR_Breakpoint() returns. There is no
// MPIR_acquired_pre_main, because ranks wait in MPI_Init, and no MPIR_ignore_queues, because ranks have queues to show.
[[gnu::used]] int MPIR_i_am_starter = 1;
[[gnu::used]] int MPIR_partial_attach_ok = 1;

[[gnu::used, gnu::noinline]] void MPIR_Breakpoint() {
  asm volatile("" ::: "memory");
}
}
