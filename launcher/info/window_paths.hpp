// SPDX-License-Identifier: BSD-3-Clause
// The paths by which one-sided operations reach a target, for bowline-info.
#pragma once

namespace bowline::launcher {

/// Prints which path serves which window and target with the tunables of this process, and what needs the target's
/// process.
void print_windows();

}  // namespace bowline::launcher
