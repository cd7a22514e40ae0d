// SPDX-License-Identifier: BSD-3-Clause
// A rank's request to start a further job, and its conversion to a job.
#pragma once
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "launcher/job/job.hpp"

namespace bowline::launcher {

/// One program of a request.
struct SpawnApp {
  std::string program;
  std::vector<std::string> arguments;    ///< behind the program's name
  std::vector<std::string> environment;  ///< NAME=VALUE, added to mpiexec's own
  std::string wdir;                      ///< empty: as the asking rank was started
  int ranks = 1;
  std::map<std::string, std::string> keys = {};  ///< PMIx's names; values in the syntax of mpiexec's options
};

struct SpawnRequest {
  std::vector<SpawnApp> apps;
  bool outlives = false;  ///< the job goes on if the job that asks for it fails
  /// By which the caller will ask for the job's end (name_service.hpp); empty: by the name of its namespace. With a
  /// token the answer is brief_answer in place of that name: a caller in whom PMIx learns of a namespace keeps tens of
  /// kilobytes about it for ever.
  std::string token = {};
};

/// Keys of Bowline's own. `path`: directories to search for the program before PATH. `outlive`: SpawnRequest::outlives.
/// `token`: SpawnRequest::token.
inline constexpr const char* spawn_path_key = "bowline.path";
inline constexpr const char* spawn_outlive_key = "bowline.outlive";
inline constexpr const char* spawn_token_key = "bowline.token";
inline constexpr const char* brief_answer = "bowline";

/// Why a job is not started, as one sentence that names keys of MPI_Comm_spawn, not options of mpiexec.
struct SpawnError : std::runtime_error {
  enum class Kind {
    no_program,    ///< it does not exist, or may not be executed
    no_place,      ///< an unknown host, or no room where the processes are to run
    cannot_start,  ///< all others
  };
  SpawnError(Kind why, int index, const std::string& sentence) : std::runtime_error(sentence), kind(why), app(index) {}

  Kind kind;
  int app;  ///< index of the program at fault; -1: no single one
};

/// The rank that asks for a job.
struct Spawner {
  const Job& job;         ///< as it was started
  int app;                ///< index of the program that the asking rank runs
  int universe;           ///< number of processes that the job has been told to expect
  bool replaces = false;  ///< lost ranks of the job have left cores, to which even a single process is bound
};

/// The job for a request: checked, and with what it inherits from the job of the asking rank. Its placement avoids the
/// cores of other jobs. `number`: the new job's number, which the names of its output files and its tags contain. Reads
/// the host files that the request names. Throws SpawnError, and LaunchError without a program at fault.
Job job_for(const SpawnRequest& request, const Spawner& spawner, int number);

}  // namespace bowline::launcher
