// SPDX-License-Identifier: BSD-3-Clause
// Tries the operations that ranks on this node perform on each other, and explains what is refused and how to allow it.
#pragma once
#include <string>
#include <vector>

namespace bowline::launcher {

/// The outcome of one check.
struct Finding {
  enum class Verdict { good, slower, broken } verdict;
  std::string what;    ///< what the check has tried
  std::string detail;  ///< what the check has found and, unless all is good, what that means and how to change it
};

/// Cores, shared memory between processes, cross-memory attach, locked memory. Starts short-lived child processes.
std::vector<Finding> examine_node();

}  // namespace bowline::launcher
