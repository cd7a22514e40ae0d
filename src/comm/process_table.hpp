// SPDX-License-Identifier: BSD-3-Clause
// ProcessTable: maps process ids to process indices.
//
// The indices of this job's processes are their ranks in MPI_COMM_WORLD: no memory, no lookup. The processes of another
// job get a block of indices, in the order of their ranks, when the job is connected. Indices are dense and
// never change. Each process has its own numbering, so messages between jobs contain ProcessIds.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/process_id.hpp"

namespace bowline::comm {

/// Thread-safe.
class ProcessTable final : private OtherJobs {
 public:
  /// `job`: the name of this process's job; it must outlive the table. `ranks`: the number of its ranks.
  ProcessTable(std::string_view job, int ranks) noexcept : job_(job), ranks_(ranks) {}
  ~ProcessTable();
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;

  /// The number of indices in use.
  int size() const;
  bool is_of_this_job(int process) const noexcept { return process < ranks_; }
  ProcessId operator[](int process) const;
  /// The number of ranks of a connected job, or of this one; 0 if it is not known.
  int ranks_of(std::string_view job) const;
  /// The index of a process; empty if its job is not connected or has no such rank.
  std::optional<int> index_of(const ProcessId& id) const;

  /// Assigns indices to the `ranks` processes of another job and returns the index of its rank 0. A job that already
  /// has indices keeps them. Call proto::Lanes::grow_to() afterwards: it makes the processes known to the engines.
  /// Throws Error (MPI_ERR_OTHER) if too few indices are left.
  int add(std::string_view job, int ranks);

 private:
  struct Job {
    std::string name;
    int ranks;
  };

  std::optional<ProcessId> find(int process) const override;
  int end() const;
  /// The index of rank 0 of a job; empty if it has none.
  std::optional<int> first_of(std::string_view job) const;

  const std::string_view job_;
  const int ranks_;
  mutable std::mutex mutex_;
  std::map<int, Job> others_;  ///< by the index of their rank 0; entries stay in place
};

}  // namespace bowline::comm
