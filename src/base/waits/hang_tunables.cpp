// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/hang_tunables.hpp"

namespace bowline {

constexpr int a_day = 86'400;

ChoiceTunable hang{"hang",
                   {"end", "report", "off"},
                   "what mpiexec does about a proven deadlock: end the job with status 1, only report it, or not look "
                   "for it"};
Tunable<int> hang_seconds{"hang_seconds", 10, 1, a_day,
                          "seconds that all ranks must have waited before mpiexec judges whether they wait for ever"};

}  // namespace bowline
