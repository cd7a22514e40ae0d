// SPDX-License-Identifier: BSD-3-Clause
// What the jobs of one mpiexec share.
#pragma once
#include <sys/resource.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/core_claims.hpp"
#include "launcher/debug/process_table.hpp"
#include "launcher/flight/flight_story.hpp"
#include "launcher/host_topology.hpp"
#include "launcher/job/pmix_server.hpp"
#include "launcher/job/relays.hpp"
#include "launcher/job_options.hpp"
#include "launcher/sink.hpp"

namespace bowline::launcher {

/// The time after which mpiexec ends all its jobs.
struct TimeLimit {
  double seconds;
  std::string name;  ///< the option or variable that set the limit
};

struct LaunchSettings {
  std::filesystem::path scratch;   ///< private directory; empty if none can be made
  Caches caches;                   ///< whether the jobs' placement needs the machine's caches
  std::optional<TimeLimit> limit;  ///< none: jobs may take as long as they want
  int end_descriptor = -1;         ///< all jobs end at its end of file; -1: none
  bool keep_going = false;         ///< the jobs go on when ranks are lost
  DebuggerAccess debuggers = {};   ///< for the first job
};

/// The settings that the first job's options choose for all jobs. `scratch`: directory for temporary files; empty if
/// there is none.
LaunchSettings settings_for(const Options& options, std::filesystem::path scratch);

/// What the namespaces of an event loop share; the event loop owns it. Construction may take long. Not thread-safe.
class LaunchContext {
 public:
  /// Throws LaunchError.
  explicit LaunchContext(LaunchSettings settings);
  ~LaunchContext();
  LaunchContext(const LaunchContext&) = delete;
  LaunchContext& operator=(const LaunchContext&) = delete;

  const LaunchSettings settings;
  /// Descriptors that mpiexec has inherited and that ranks inherit from it: a user may have opened them for the ranks.
  const std::vector<int> passed_on;
  const rlimit open_files;  ///< the limit of the ranks on open files; the limit of this process is raised
  Sink out, err;
  const Topology topology;
  PmixServer pmix;
  /// One folder for all jobs, so that ranks of different jobs reach each other's sockets.
  Relays relays;
  const int null_fd;    ///< /dev/null for reading
  UsedCores cores;      ///< of all jobs
  int open_jobs = 0;    ///< namespaces that have not closed
  bool silent = false;  ///< mpiexec says nothing any more
  /// The first rank of the first job that ended without MPI_Finalize, and not because mpiexec ended it.
  std::optional<FirstLoss> first_loss{};

  /// Prints a sentence of mpiexec's own. `who`: the part of mpiexec that speaks.
  void say(const std::string& sentence, const std::string& who = "mpiexec") {
    if (!silent) err.queue() += who + ": " + sentence + "\n";
  }
};

}  // namespace bowline::launcher
