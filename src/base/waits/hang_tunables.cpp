// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/hang_tunables.hpp"

namespace bowline {

constexpr int a_day = 86'400;

ChoiceTunable hang(TunableTraits(Category::diagnosis).for_users(), "hang", {"end", "report", "off"},
                   "what is done about a proven deadlock: the job ends with status 1, it is only reported, or nobody "
                   "looks for it");
Tunable<int> hang_seconds(TunableTraits(Category::diagnosis).for_users(), "hang_seconds", 10, 1, a_day,
                          "seconds that all ranks must have waited before it is judged whether they wait for ever");

}  // namespace bowline
