// SPDX-License-Identifier: BSD-3-Clause
// Finds the recordings of a job and reads them.
#include <chrono>
#include <utility>

#include "launcher/flight/flight_record.hpp"
#include "launcher/report/rank_files.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

JobFlight read_flights(const std::filesystem::path& folder) {
  JobFlight job;
  for (const auto& [rank, file] : rank_files(folder, ".flight", "recording")) {
    try {
      RankFlight flight = read_flight(file);
      if (flight.rank != rank) throw UsageError("{} is the recording of rank {}", file.string(), flight.rank);
      if (!job.recorded.empty() && flight.rank == job.recorded.back().rank)
        throw UsageError("{} is the second recording of rank {}", file.string(), rank);
      if (!job.recorded.empty() && flight.ranks != job.ranks)
        throw UsageError("{} is of a job of {} ranks, but others of this folder are of one of {}", file.string(),
                         flight.ranks, job.ranks);
      job.ranks = flight.ranks;
      job.recorded.push_back(std::move(flight));
    } catch (const UsageError& error) {
      job.problems.emplace_back(error.what());
    }
  }
  if (job.recorded.empty()) throw UsageError("{}", job.problems.front());
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  job.read_at = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return job;
}

}  // namespace bowline::launcher
