// SPDX-License-Identifier: BSD-3-Clause
// Records of ranks for the tests of reports.
#pragma once

#include <string>
#include <vector>

#include "launcher/report/job_report.hpp"

namespace bowline::launcher {

/// Of a rank that ran for ten seconds.
inline RankRecord record_of(int rank, int ranks, double waiting, double transfer) {
  return {.rank = rank,
          .ranks = ranks,
          .host = rank * 2 < ranks ? "a" : "b",
          .command = "./solver",
          .library = "0.9.0",
          .elapsed = 10,
          .waiting = waiting,
          .transfer = transfer,
          .resident_peak = 1e8};
}

/// A job that does next to nothing in MPI.
inline std::vector<RankRecord> calm_job(int ranks) {
  std::vector<RankRecord> records;
  for (int rank = 0; rank < ranks; ++rank) records.push_back(record_of(rank, ranks, 0.2, 0.1));
  return records;
}

/// All wait for one rank in a broadcast.
inline std::vector<RankRecord> job_with_slow_rank(int ranks, int slow) {
  std::vector<RankRecord> records;
  for (int rank = 0; rank < ranks; ++rank) {
    const double waiting = rank == slow ? 0.1 : 5;
    RankRecord& record = records.emplace_back(record_of(rank, ranks, waiting, 0.2));
    RecordedSite& site = record.sites.emplace_back(
        RecordedSite{.function = "MPI_Bcast", .place = "x.c:51", .waiting = waiting, .transfer = 0.2});
    if (rank != slow) site.waited_for = {{.rank = slow, .seconds = waiting}};
  }
  return records;
}

}  // namespace bowline::launcher
