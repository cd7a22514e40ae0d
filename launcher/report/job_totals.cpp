// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/job_totals.hpp"

#include <algorithm>
#include <map>

namespace bowline::launcher {
namespace {

/// Samples, and waits of several threads, may add up to more than the whole.
std::optional<double> share_of(double part, double whole) {
  return whole > 0 ? std::optional(std::min(1.0, part / whole)) : std::nullopt;
}

}  // namespace

void Spread::add(int rank, double value) {
  if (known == 0 || value > most) {
    most = value;
    rank_of_most = rank;
  }
  if (known == 0 || value < least) {
    least = value;
    rank_of_least = rank;
  }
  sum += value;
  ++known;
}

std::optional<double> JobTotals::waiting_share() const {
  return share_of(waiting.sum, waiting_time);
}

std::optional<double> JobTotals::transfer_share() const {
  return share_of(transfer.sum, sampled_time);
}

std::optional<double> JobTotals::mpi_share() const {
  return share_of(sampled_time - computing.sum, sampled_time);
}

JobTotals totals_of(const JobReport& report) {
  JobTotals totals;
  for (int rank = 0; rank < report.ranks; ++rank) {
    const RankTimes& times = report.times[static_cast<std::size_t>(rank)];
    const auto add = [rank](const std::optional<double>& value, Spread& spread) {
      if (value) spread.add(rank, *value);
    };
    add(times.elapsed, totals.elapsed);
    add(times.waiting, totals.waiting);
    add(times.computing(), totals.computing);
    add(times.resident_peak, totals.memory);
    if (times.elapsed && times.waiting) totals.waiting_time += *times.elapsed;
    if (!times.computing()) continue;
    totals.transfer.add(rank, *times.transfer);
    totals.sampled_time += *times.elapsed;
  }
  std::map<int, double> waited_for;
  for (const Site& site : report.sites)
    for (const WaitedFor& each : site.waited_for) waited_for[each.rank] += each.seconds;
  for (const auto& [rank, seconds] : waited_for) {
    if (rank != several_ranks && seconds > totals.most_waited_for.seconds) totals.most_waited_for = {rank, seconds};
  }
  return totals;
}

}  // namespace bowline::launcher
