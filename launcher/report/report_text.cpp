// SPDX-License-Identifier: BSD-3-Clause
// The report as plain text for a terminal of 80 columns.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "launcher/report/advice.hpp"
#include "launcher/report/job_totals.hpp"
#include "launcher/report/key_figures.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t most_text_sites = 10;
constexpr int all_rows = 16, end_rows = 8;  // of ranks: all, or the first and last ones of more

/// In lines of 80 columns; those after the first begin with `indent` spaces. `used`: columns of the first line.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used = 0) {
  std::string lines;
  bool first = true;  // of its line
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!first && used + 1 + word.size() > columns) {
      lines += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      lines += ' ';
      ++used;
    }
    first = false;
    lines += word;
    used += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + '\n';
}

/// Two lines: its name and verdict, and what it is of.
std::string line_of(const KeyFigure& figure) {
  std::string line = fmt::format("  {:<24} {:<14} {}\n", figure.label, figure.value, figure.word);
  return figure.note.empty() ? line : fmt::format("{}  {:<24} {}\n", line, "", figure.note);
}

std::string cell_of(const std::optional<double>& seconds) {
  return seconds ? seconds_in_words(*seconds) : "?";
}

std::string row_of(const JobReport& report, int rank) {
  const RankTimes& times = report.times[static_cast<std::size_t>(rank)];
  const int node = report.node_of[static_cast<std::size_t>(rank)];
  const std::string host = node < 0 ? "" : shortened(report.hosts[static_cast<std::size_t>(node)], 14);
  if (std::ranges::binary_search(report.missing, rank)) return fmt::format("  {:>6} left no record\n", rank);
  return fmt::format("  {:>6} {:<14} {:>12} {:>12} {:>12} {:>12}\n", rank, host, cell_of(times.computing()),
                     cell_of(times.transfer), cell_of(times.waiting),
                     times.resident_peak ? bytes_in_words(*times.resident_peak) : "?");
}

std::string table_of_ranks(const JobReport& report) {
  std::string text = fmt::format("\n  {:>6} {:<14} {:>12} {:>12} {:>12} {:>12}\n", "rank", "node", "computing",
                                 "moving data", "waiting", "memory");
  if (report.ranks <= all_rows) {
    for (int rank = 0; rank < report.ranks; ++rank) text += row_of(report, rank);
    return text;
  }
  std::vector<int> order;  // those that wait most first
  for (int rank = 0; rank < report.ranks; ++rank)
    if (!std::ranges::binary_search(report.missing, rank)) order.push_back(rank);
  std::ranges::stable_sort(order, std::ranges::greater(), [&report](int rank) {
    return report.times[static_cast<std::size_t>(rank)].waiting.value_or(-1);
  });
  const int known = static_cast<int>(order.size());
  for (int i = 0; i < known; ++i) {
    if (i == end_rows && known > all_rows)
      text += fmt::format("  {:>6} {}\n", "...",
                          counted(static_cast<std::uint64_t>(known - all_rows), "rank", "ranks") +
                              " that wait less than these and more than those below");
    if (known <= all_rows || i < end_rows || i >= known - end_rows)
      text += row_of(report, order[static_cast<std::size_t>(i)]);
  }
  return text;
}

std::string table_of_sites(const JobReport& report, const JobTotals& totals) {
  if (report.sites.empty()) return "";
  const std::size_t shown = sites_to_show(report, totals.waiting_time, most_text_sites);
  std::string text =
      fmt::format("\n  {:<38} {:>12} {:>12} {:>8}\n", "call (all ranks together)", "waiting", "moving data", "ranks");
  for (const Site& site : std::span(report.sites).first(shown)) {
    const std::string name = site.in_words();
    text += name.size() <= 38 ? fmt::format("  {:<38}", name) : fmt::format("  {}\n  {:<38}", name, "");
    text += fmt::format(" {:>12} {:>12} {:>8}\n", seconds_in_words(site.waiting), seconds_in_words(site.transfer),
                        count_in_words(static_cast<std::uint64_t>(site.ranks)));
    if (!site.waited_for.empty()) text += "      " + wrapped("for " + waits_in_words(site.waited_for), 10, 6);
  }
  if (report.sites.size() > shown)
    text += fmt::format("  and {}\n", counted(report.sites.size() - shown, "other call", "other calls"));
  return text;
}

std::string table_of_sizes(const JobReport& report) {
  if (report.sizes.empty()) return "";
  std::string text =
      fmt::format("\n  {:<38} {:>16} {:>16}\n", "messages (all ranks together) of", "sent at once", "announced");
  for (const MessageSizes& row : report.sizes)
    text += fmt::format("  {:<38} {:>16} {:>16}\n", sizes_in_words(row.lower), count_in_words(row.eager),
                        count_in_words(row.announced));
  return text;
}

std::string table_of_adapters(const JobReport& report) {
  if (report.adapters.empty()) return "";
  double whole = 0;
  for (const AdapterUse& use : report.adapters) whole += use.bytes();
  std::string text = fmt::format("\n  {:<38} {:>12} {:>12} {:>8}\n", "way or adapter", "sent", "fetched", "share");
  for (const AdapterUse& use : report.adapters)
    text += fmt::format("  {:<38} {:>12} {:>12} {:>8}\n", shortened(use.name, 38),
                        bytes_in_words(static_cast<double>(use.sent)), bytes_in_words(static_cast<double>(use.fetched)),
                        share_in_words(use.bytes(), whole));
  return text;
}

}  // namespace

std::string to_text(const JobReport& report) {
  const JobTotals totals = totals_of(report);
  std::string text = wrapped("Job report: " + shortened(report.command, 300), 12);
  text += wrapped(title_in_words(report), 0) + '\n';
  for (const KeyFigure& figure : key_figures(report, totals)) text += line_of(figure);
  text += '\n' + wrapped(finding_of(report, totals).sentence, 0);
  text += table_of_ranks(report) + table_of_sites(report, totals) + table_of_sizes(report) + table_of_adapters(report);
  const std::vector<Advice> advice = advice_for(report, totals);
  text += advice.empty() ? "\nThere is nothing to advise.\n" : "\nAdvice\n";
  for (const Advice& each : advice) text += wrapped(fmt::format("- {} {} {}", each.what, each.reason, each.remedy), 2);
  return text;
}

}  // namespace bowline::launcher
