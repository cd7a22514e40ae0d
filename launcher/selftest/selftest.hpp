// SPDX-License-Identifier: BSD-3-Clause
// bowline-info --selftest: tries everything that ranks do on this machine or allocation, checks the data, and says how
// fast it is beside what the hardware could do, and what to mend.
#pragma once

namespace bowline::launcher {

struct SelftestOptions {
  int nodes = 0;      ///< of the Slurm allocation; 0: one
  int seconds = 120;  ///< after which no further part begins
};

/// Prints a line for each thing that was tried, as soon as it is known, and a verdict. Returns the exit status: 0 if
/// everything works, 1 if something failed. Throws UsageError for a place where it cannot start.
int run_selftest(const SelftestOptions& options);

}  // namespace bowline::launcher
