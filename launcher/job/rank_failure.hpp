// SPDX-License-Identifier: BSD-3-Clause
// The message about a failed rank, and the exit status of the job.
#pragma once
#include <optional>
#include <string>

#include "launcher/job/pmix_server.hpp"

namespace bowline::launcher {

struct Failure {
  int status;
  std::string sentence;  ///< without a full stop, so that others_ended() can follow
};

/// The meaning of the end of a rank's process; nullopt if it has succeeded. `status`: from waitpid(). `initialized`:
/// the rank had called MPI_Init and not MPI_Finalize.
std::optional<Failure> describe_exit(int rank, const std::string& host, int status, bool initialized);

/// The meaning of the end, with status 0, of a rank that has not called MPI_Init, if others wait for that.
Failure describe_leaving(int rank, const std::string& host);

/// Whether the rank was ended by a signal of a crash, such as SIGSEGV.
bool has_crashed(int status) noexcept;

/// The meaning of an aborted event.
Failure describe_abort(const PmixEvent& event, const std::string& host);

/// "; the other 3 ranks are ended", or nothing where there are no others.
std::string others_ended(int others);
/// "; it and 3 other ranks of its communicator are ended", for an abort that leaves all other ranks running.
std::string some_ended(int others);

}  // namespace bowline::launcher
