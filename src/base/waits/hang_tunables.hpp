// SPDX-License-Identifier: BSD-3-Clause
// The tunables of the hang verdict: of the ranks, and of mpiexec, which reads them in the environment of the job's
// first program.
#pragma once

#include "base/tunable.hpp"

namespace bowline {

extern ChoiceTunable hang;         ///< "end", "report" or "off"
extern Tunable<int> hang_seconds;  ///< how long nothing must have happened

/// When most ranks have waited so many times as long for a few that do not wait, the user is told.
inline constexpr int suspicion_factor = 6;

}  // namespace bowline
