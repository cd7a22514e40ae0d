// SPDX-License-Identifier: BSD-3-Clause
// Roster: the processes on one side of two communicators that are about to be joined, possibly of several jobs.
//
// Connections connect processes of two jobs (jobs.hpp). So two rosters need a connection for each pair of a job here
// and another job there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/group.hpp"
#include "comm/process_table.hpp"
#include "runtime/jobs/contact.hpp"

namespace bowline::runtime {

struct Roster {
  struct Job {
    std::string name;
    int ranks;  ///< of the whole job
  };
  struct Process {
    std::int32_t job;  ///< its position in `jobs`
    std::int32_t rank;
    std::uint64_t node;
  };

  std::vector<Job> jobs;
  std::vector<Process> processes;  ///< in the order of their ranks in the communicator

  /// Of a group, whose members run on these nodes.
  static Roster of(const comm::Group& group, std::span<const std::uint64_t> nodes, const comm::ProcessTable& table);

  /// The position of a job of this name in `jobs`; negative if there is none.
  int job_named(std::string_view name) const noexcept;
  /// The processes of one of the jobs, as a connection sees them.
  Side side(int job) const;
  /// The indices of all processes in this process. Throws Error if one of their jobs is not connected.
  std::vector<int> indices(const comm::ProcessTable& table) const;

  /// The roster as bytes, for other processes of the same version of Bowline.
  std::vector<std::byte> bytes() const;
  /// Throws Error if these are not the bytes of a roster.
  static Roster read(std::span<const std::byte> bytes);
};

}  // namespace bowline::runtime
