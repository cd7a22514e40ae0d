// SPDX-License-Identifier: BSD-3-Clause
// Errors as exceptions, which main() prints as one line.
#pragma once
#include <fmt/format.h>

#include <stdexcept>

namespace bowline::launcher {

/// Bad input: one sentence without a full stop or a newline; mpiexec prints it and exits with status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
  template <class... Args>
  explicit UsageError(fmt::format_string<Args...> text, Args&&... args)
      : std::runtime_error(fmt::format(text, std::forward<Args>(args)...)) {}
};

/// The system refused something that mpiexec needs; mpiexec prints it and exits with status 1.
struct LaunchError : std::runtime_error {
  template <class... Args>
  explicit LaunchError(fmt::format_string<Args...> text, Args&&... args)
      : std::runtime_error(fmt::format(text, std::forward<Args>(args)...)) {}
};

/// Exit statuses of mpiexec itself; every other status comes from a rank.
inline constexpr int status_bad_input = 2;
inline constexpr int status_launch_failed = 1;
inline constexpr int status_output_lost = 1;
inline constexpr int status_not_finalized = 1;
inline constexpr int status_deadlock = 1;
inline constexpr int status_different_calls = 1;
inline constexpr int status_timed_out = 124;

}  // namespace bowline::launcher
