// SPDX-License-Identifier: BSD-3-Clause
// How a rank learns that its launcher lets the job go on when ranks are lost.
#pragma once

namespace bowline {

/// "1" for the ranks of a job that goes on. Not set, or another value: the launcher ends the job with its first lost
/// rank.
inline constexpr const char* keep_going_variable = "BOWLINE_KEEP_GOING";

/// Whether the launcher of this process lets its job go on.
bool launcher_keeps_going() noexcept;

}  // namespace bowline
