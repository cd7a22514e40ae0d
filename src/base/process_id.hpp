// SPDX-License-Identifier: BSD-3-Clause
// The identity of a process, and its name in sentences.
//
// The layers name a process by an int, its process index (comm/process_table.hpp). The indices of this job's processes
// are their ranks in MPI_COMM_WORLD; the processes of other jobs follow. So a job that stays alone has no table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bowline {

/// A process of any job.
struct ProcessId {
  std::string_view job;  ///< the launcher's name of the job; the maker of the id keeps the text
  int rank;              ///< rank in MPI_COMM_WORLD of that job
  bool operator==(const ProcessId&) const = default;
};

/// "rank 3 of job J", for sentences.
std::string to_text(const ProcessId& id);

/// The processes of other jobs. Thread-safe.
class OtherJobs {
 public:
  /// The id of a process; empty if it belongs to this job.
  virtual std::optional<ProcessId> find(int process) const = 0;

 protected:
  ~OtherJobs() = default;
};

/// Whether this process knows processes of other jobs. Thread-safe.
bool knows_other_jobs() noexcept;
/// Whether a process belongs to another job. Thread-safe.
bool is_of_other_job(int process) noexcept;

/// Sets the object by which process_name() finds the ids of other jobs' processes; nullptr: there are no other jobs.
/// Thread-safe.
void name_processes_by(const OtherJobs* others) noexcept;

/// A process, for sentences: "rank 3", or "rank 3 of job J" if its job is another one; "peer 7" if there is no memory
/// for that.
std::string process_name(int process) noexcept;

}  // namespace bowline
