// SPDX-License-Identifier: BSD-3-Clause
// The tunables of the hang verdict. mpiexec reads them, in the environment of the job's first program.
#pragma once

#include "base/tunable.hpp"

namespace bowline {

extern ChoiceTunable hang;         ///< "end", "report" or "off"
extern Tunable<int> hang_seconds;  ///< how long nothing must have happened

}  // namespace bowline
