// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec does about a deadlock, as the user chooses.
#pragma once
#include <chrono>
#include <cstdint>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

struct HangSettings {
  enum class Action : std::uint8_t { end, report, off };
  Action action;
  std::chrono::seconds after;      ///< how long all ranks must have waited
  bool buffering;                  ///< standard sends wait until they are received (BOWLINE_CHECK)
  std::chrono::seconds suspicion;  ///< how long most ranks must have waited for the others
};

/// The values of BOWLINE_HANG and BOWLINE_HANG_SECONDS in the environment of the job's first program. Throws
/// UsageError.
HangSettings hang_settings(const Options& options);

}  // namespace bowline::launcher
