// SPDX-License-Identifier: BSD-3-Clause
// What is said when a rank fails, and the exit status that it gives the job.
#pragma once
#include <optional>
#include <string>

#include "launcher/job/pmix_server.hpp"

namespace bowline::launcher {

struct Failure {
  int status;
  std::string sentence;  ///< without a full stop, so that others_ended() can follow
};

/// What the end of a rank's process means; nothing where it has succeeded. `status`: from waitpid(). `initialized`: it
/// had called MPI_Init and not MPI_Finalize.
std::optional<Failure> describe_exit(int rank, const std::string& host, int status, bool initialized);

/// What an aborted event means.
Failure describe_abort(const PmixEvent& event, const std::string& host);

/// "; the other 3 ranks are ended", or nothing where there are no others.
std::string others_ended(int others);
/// The same where all other ranks go on but these.
std::string some_ended(int others);

}  // namespace bowline::launcher
