// SPDX-License-Identifier: BSD-3-Clause
// The names by which debuggers find the ranks of a job: the MPIR Process Acquisition Interface, version 1.1. They are
// in the process that the user starts.
#pragma once

extern "C" {

/// One process of the job. The table is in the order of ranks.
struct MPIR_PROCDESC {
  char* host_name;
  char* executable_name;
  int pid;
};

inline constexpr int MPIR_DEBUG_SPAWNED = 1;
inline constexpr int MPIR_DEBUG_ABORTING = 2;

extern volatile int MPIR_being_debugged;  ///< the debugger sets it to 1, before main() if it wants the ranks to wait
extern volatile int MPIR_debug_state;     ///< why MPIR_Breakpoint() is called; 0 before
extern MPIR_PROCDESC* MPIR_proctable;
extern int MPIR_proctable_size;        ///< 0 until all ranks are started
extern char* MPIR_debug_abort_string;  ///< why the job is ended

/// The debugger has a breakpoint here.
void MPIR_Breakpoint();
}
