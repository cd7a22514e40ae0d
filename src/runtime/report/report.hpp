// SPDX-License-Identifier: BSD-3-Clause
// Report: collects what this process does between MPI_Init and MPI_Finalize, for the report of its job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/profile/call_sites.hpp"
#include "base/profile/message_sizes.hpp"
#include "base/profile/wait_profile.hpp"
#include "runtime/report/heard_uses.hpp"
#include "runtime/report/memory_trace.hpp"
#include "transport/counting.hpp"

namespace bowline::runtime {

struct WhoReports {
  int rank;
  int ranks;
  std::string host;
};

/// Waits are measured (WaitProfile). What else happens in MPI is sampled: the thread that has started MPI is
/// interrupted every 10 ms of its processor time. Memory does not grow with the length of the job.
class Report {
 public:
  /// The report of this process, if the user wants one (the tunable `report`); nullptr: nobody does. Lives as long as
  /// the process. To be called before the engines are made. Throws std::bad_alloc.
  static Report* make();

  /// MPI has started: time counts from now on, and this thread is sampled. Makes the folder that the user has named;
  /// warns if nothing can be written there, because it would be late to learn that at the end.
  void begin(const WhoReports& who);
  /// Ends it, and writes the record of this process into the folder. Warns if that fails.
  void write(const WhoReports& who) noexcept;

  /// This endpoint, and if this process collects a report, its traffic is counted. `way`: as in PeerTraffic.
  static std::unique_ptr<transport::Endpoint> counted(int peer, std::string way,
                                                      std::unique_ptr<transport::Endpoint> endpoint);

  // What the record says (report_record.cpp):
  const CallSites& sites() const noexcept { return sites_; }
  const transport::TrafficCounts& traffic() const noexcept { return traffic_; }
  const MessageSizes& announced() const noexcept { return announced_; }
  const MemoryTrace& memory() const noexcept { return memory_; }
  const HeardUses& uses() const noexcept { return *uses_; }
  /// Time of waits that belong to no site.
  WaitTimes other_waits() const noexcept { return waits_.gathered(); }
  std::int64_t began() const noexcept { return began_; }  ///< event_time()
  std::int64_t ended() const noexcept { return ended_; }
  /// Why calls are not sampled; empty if they are.
  const std::string& not_sampled() const noexcept { return not_sampled_; }

 private:
  Report();
  static void sample(std::uint64_t nanoseconds) noexcept;

  CallSites sites_;
  WaitProfile waits_;
  transport::TrafficCounts traffic_;
  MessageSizes announced_;
  MemoryTrace memory_;
  std::optional<HeardUses> uses_;  ///< since begin()
  std::string not_sampled_;
  std::string folder_;  ///< as an absolute path, because the program may change its directory; empty: there is none
  std::int64_t began_ = 0;
  std::int64_t ended_ = 0;
  unsigned samples_ = 0;
};

/// The record, as JSON. Throws std::bad_alloc.
std::string record_of(const Report& report, const WhoReports& who);

}  // namespace bowline::runtime
