// SPDX-License-Identifier: BSD-3-Clause
// How a rank learns that its launcher has been started by a debugger, which wants to attach to the rank.
#pragma once

namespace bowline {

/// The number of a descriptor that the rank has inherited: the reading end of a pipe, which is at its end of file when
/// the debugger lets the ranks go on. Not set: no debugger is there.
inline constexpr const char* debugger_gate_variable = "BOWLINE_DEBUGGER_GATE";

}  // namespace bowline
