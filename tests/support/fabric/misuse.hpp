// SPDX-License-Identifier: BSD-3-Clause
// The end of a program that does with verbs what real hardware leaves undefined, or that chose a wrong setting.
#pragma once

namespace fabric {

/// Prints "fabric: SENTENCE (process PID)" to standard error and aborts. The arguments are those of printf.
[[noreturn]] [[gnu::format(printf, 1, 2)]] void misuse(const char* sentence, ...);

}  // namespace fabric
