// SPDX-License-Identifier: BSD-3-Clause
// Two reports of the same program side by side, as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "launcher/report/job_totals.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr double matters = 0.03;  // a change of the elapsed time by less says nothing
constexpr double counter_change = 0.1;
constexpr std::size_t most_changed_sites = 8, most_changed_counters = 20;

/// "(+12 %)"; a number that was nothing before has none.
std::string change_in_words(double before, double after) {
  if (before == after) return "(the same)";
  return before > 0 ? fmt::format("({:+.0f} %)", 100 * (after - before) / before) : "(new)";
}

using Words = std::string (*)(double);

std::string line_of_change(std::string_view label, std::optional<double> before, std::optional<double> after,
                           Words words) {
  const auto told = [words](std::optional<double> value) { return value ? words(*value) : std::string("?"); };
  return fmt::format("  {:<24} {} -> {} {}\n", label, told(before), told(after),
                     before && after ? change_in_words(*before, *after) : "");
}

std::string percent_in_words(double share) {
  return share_in_words(share, 1);
}

std::optional<double> mean_of(const Spread& spread) {
  return spread.known > 0 ? std::optional(spread.mean()) : std::nullopt;
}

std::optional<double> most_of(const Spread& spread) {
  return spread.known > 0 ? std::optional(spread.most) : std::nullopt;
}

struct ChangedSite {
  std::string name;
  double before = 0, after = 0;  // seconds of a rank on average
  double change() const { return std::abs(after - before); }
};

/// Those that changed most first; times are means over the ranks, because their number may be another.
std::vector<ChangedSite> changed_sites(const JobReport& before, const JobReport& after) {
  std::map<std::string, ChangedSite> by_name;
  for (const Site& site : before.sites) by_name[site.in_words()].before += site.total() / before.ranks;
  for (const Site& site : after.sites) by_name[site.in_words()].after += site.total() / after.ranks;
  std::vector<ChangedSite> sites;
  for (auto& [name, site] : by_name) {
    site.name = name;
    sites.push_back(std::move(site));
  }
  std::ranges::stable_sort(sites, std::ranges::greater(), &ChangedSite::change);
  return sites;
}

std::string sites_that_changed(const JobReport& before, const JobReport& after, double elapsed) {
  constexpr double least = 0.002;  // of the elapsed time
  std::string text;
  std::size_t number = 0;
  for (const ChangedSite& site : changed_sites(before, after)) {
    if (number == most_changed_sites || site.change() <= least * elapsed) break;
    text += fmt::format("  {}\n      {} -> {} {}\n", site.name, seconds_in_words(site.before),
                        seconds_in_words(site.after), change_in_words(site.before, site.after));
    ++number;
  }
  return text.empty() ? "\nNo call takes longer or shorter.\n"
                      : "\nCalls that changed most (mean of a rank, waiting and moving data)\n" + text;
}

std::string counters_that_changed(const JobReport& before, const JobReport& after) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> counters;
  for (const auto& [name, value] : before.counters) counters[name].first = value;
  for (const auto& [name, value] : after.counters) counters[name].second = value;
  std::string text;
  std::size_t number = 0;
  for (const auto& [name, values] : counters) {
    const double old_value = static_cast<double>(values.first), new_value = static_cast<double>(values.second);
    if (std::abs(new_value - old_value) <= counter_change * old_value) continue;
    if (++number > most_changed_counters) continue;
    text += fmt::format("  {:<32} {} -> {} {}\n", name, count_in_words(values.first), count_in_words(values.second),
                        change_in_words(old_value, new_value));
  }
  if (number > most_changed_counters)
    text += fmt::format("  and {}\n", counted(number - most_changed_counters, "other", "others"));
  return text.empty() ? "" : "\nCounters that changed by more than 10 %\n" + text;
}

std::string verdict_line(const JobTotals& before, const JobTotals& after) {
  const std::optional<double> then = most_of(before.elapsed), now = most_of(after.elapsed);
  if (!then || !now || *then <= 0) return "The elapsed times are not known: nothing can be said.\n";
  const double change = (*now - *then) / *then;
  if (std::abs(change) < matters) return "The second job takes as long as the first, within 3 %.\n";
  const bool slower = change > 0;
  std::string text = fmt::format("The second job is {:.0f} % {}", 100 * std::abs(change), slower ? "slower" : "faster");
  const auto mpi_of = [](const JobTotals& totals) {
    return totals.mpi_share() ? std::optional(*totals.mpi_share() * totals.elapsed.mean()) : std::nullopt;
  };
  const std::optional<double> mpi_then = mpi_of(before), mpi_now = mpi_of(after);
  if (!mpi_then || !mpi_now) return text + ".\n";
  const double by_mpi = *mpi_now - *mpi_then, whole = after.elapsed.mean() - before.elapsed.mean();
  constexpr double most_part = 0.6, small_part = 0.4;
  if (whole == 0) return text + ".\n";
  const double part = by_mpi / whole;
  return text + (part >= most_part    ? ", because of MPI.\n"
                 : part <= small_part ? ", because of its computing.\n"
                                      : ", because of both MPI and its computing.\n");
}

}  // namespace

std::string comparison_of(const JobReport& before, const JobReport& after) {
  const JobTotals then = totals_of(before), now = totals_of(after);
  std::string text =
      fmt::format("Old: {}\n     {}\nNew: {}\n     {}\n\n{}\n", shortened(before.command, 200), title_in_words(before),
                  shortened(after.command, 200), title_in_words(after), verdict_line(then, now));
  if (before.ranks != after.ranks) text += "The numbers of ranks differ: compare with care.\n\n";
  text += line_of_change("elapsed", most_of(then.elapsed), most_of(now.elapsed), seconds_in_words);
  text += line_of_change("time in MPI", then.mpi_share(), now.mpi_share(), percent_in_words);
  text += line_of_change("computing, mean", mean_of(then.computing), mean_of(now.computing), seconds_in_words);
  text += line_of_change("waiting, mean", mean_of(then.waiting), mean_of(now.waiting), seconds_in_words);
  text += line_of_change("moving data, mean", mean_of(then.transfer), mean_of(now.transfer), seconds_in_words);
  text += line_of_change("memory of a rank, peak", most_of(then.memory), most_of(now.memory), bytes_in_words);
  text += sites_that_changed(before, after, now.elapsed.mean());
  return text + counters_that_changed(before, after);
}

}  // namespace bowline::launcher
