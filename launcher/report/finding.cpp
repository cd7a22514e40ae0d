// SPDX-License-Identifier: BSD-3-Clause
// Chooses the one sentence of a report.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/report/key_figures.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr double stands_out = 0.1;  // a share of the time
constexpr double much = 0.2;

/// " for rank 5" if more than half of the waiting is for that rank.
std::string for_whom(const WaitedFor& longest, double waiting) {
  if (longest.seconds < waiting / 2) return "";
  return longest.rank == several_ranks ? " for other ranks" : fmt::format(" for rank {}", longest.rank);
}

Verdict verdict_of(double share) {
  return share >= much ? Verdict::poor : Verdict::fair;
}

/// What makes others wait, if it is that.
std::string cause_in(const JobTotals& totals, int waited_for) {
  constexpr double longer = 1.2;
  const Spread& computing = totals.computing;
  const double others = computing.mean_of_others();
  if (computing.known < 2 || computing.rank_of_most != waited_for || computing.most < longer * others || others <= 0)
    return "";
  return fmt::format(" Rank {} computes {:.1f} times as long as {}.", waited_for, computing.most / others,
                     computing.known == 2 ? "the other" : "the others on average");
}

/// Waiting that many ranks share.
std::optional<Finding> common_wait(const JobReport& report, const JobTotals& totals) {
  const auto longest = std::ranges::max_element(report.sites, {}, &Site::waiting);
  if (longest == report.sites.end() || totals.waiting_time <= 0) return {};
  const double share = std::min(1.0, longest->waiting / totals.waiting_time);
  constexpr double of_one_rank = 0.6;
  const bool is_common =
      longest->ranks >= std::max(2, report.ranks / 2) && longest->longest_waiting < of_one_rank * longest->waiting;
  if (share < stands_out || !is_common) return {};
  const WaitedFor most = longest->waited_for.empty() ? WaitedFor{} : longest->waited_for.front();
  const std::string whom = for_whom(most, longest->waiting);
  return Finding{fmt::format("All ranks together spend {} of their time waiting{} in {}.{}", share_in_words(share, 1),
                             whom, longest->in_words(), whom.empty() ? "" : cause_in(totals, most.rank)),
                 verdict_of(share)};
}

/// Waiting of a single rank.
std::optional<Finding> single_wait(const JobReport& report, const JobTotals& totals) {
  const auto share_of = [&report](const Site& site) {
    const std::optional<double> elapsed = report.times[static_cast<std::size_t>(site.longest)].elapsed;
    return elapsed && *elapsed > 0 ? std::min(1.0, site.longest_waiting / *elapsed) : 0.0;
  };
  const auto longest = std::ranges::max_element(report.sites, {}, share_of);
  if (longest == report.sites.end() || share_of(*longest) < stands_out) return {};
  const std::string whom = for_whom(longest->longest_for, longest->longest_waiting);
  return Finding{fmt::format("{} of rank {}'s time is spent waiting{} in {}.{}", share_in_words(share_of(*longest), 1),
                             longest->longest, whom, longest->in_words(),
                             whom.empty() ? "" : cause_in(totals, longest->longest_for.rank)),
                 verdict_of(share_of(*longest))};
}

std::optional<Finding> transfer_finding(const JobReport& report, const JobTotals& totals) {
  const auto longest = std::ranges::max_element(report.sites, {}, &Site::transfer);
  if (longest == report.sites.end() || totals.sampled_time <= 0) return {};
  const double share = longest->transfer / totals.sampled_time;
  if (share < stands_out) return {};
  return Finding{
      fmt::format("{} of the time goes into moving data in {}.", share_in_words(share, 1), longest->in_words()),
      verdict_of(share)};
}

Finding overall(const JobReport& report, const JobTotals& totals) {
  const std::optional<double> mpi = totals.mpi_share(), waiting = totals.waiting_share();
  if (mpi && report.not_sampled == 0) {
    const std::string share = share_in_words(*mpi, 1);
    if (*mpi < stands_out)
      return {fmt::format("MPI takes {} of the time: there is little to gain.", share), Verdict::good};
    return {fmt::format("MPI takes {} of the time, spread over several calls: none stands out.", share), Verdict::fair};
  }
  if (waiting)
    return {fmt::format("Long waits in MPI take {} of the time; how long its other calls take is not known.",
                        share_in_words(*waiting, 1)),
            *waiting < stands_out ? Verdict::good : Verdict::fair};
  return {"The records do not say how much time MPI takes.", Verdict::unknown};
}

}  // namespace

Finding finding_of(const JobReport& report, const JobTotals& totals) {
  for (const auto find : {common_wait, single_wait, transfer_finding}) {
    if (std::optional<Finding> found = find(report, totals)) return *found;
  }
  return overall(report, totals);
}

}  // namespace bowline::launcher
