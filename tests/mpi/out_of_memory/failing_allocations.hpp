// SPDX-License-Identifier: BSD-3-Clause
// Makes requests for memory of this process fail: operator new, the C functions that the library calls, mmap and
// memfd_create. They stand in place of the system's for everything that the program loads.
#pragma once

namespace failing {

// The next `after` requests succeed, the one behind them fails, or with `all` that one and all later ones.
void start(long after, bool all);
// From now on nothing fails. Returns whether something has failed.
bool stop();
// Requests since the last start().
long requests();

}  // namespace failing
