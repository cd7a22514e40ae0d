// SPDX-License-Identifier: BSD-3-Clause
// Tells debuggers which library shows them the message queues of this process (launcher/queue_library).
#pragma once

namespace bowline::runtime {

/// Writes the path of libbowline_dbg.so, which is installed below the folder of this library, into the variables that
/// debuggers read: MPIR_dll_name and mpimsgq_dll_locations. Call before a debugger may look for them: before
/// wait_at_debugger_gate(). Not thread-safe; further calls change nothing.
void name_queue_library();

}  // namespace bowline::runtime
