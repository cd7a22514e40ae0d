// SPDX-License-Identifier: BSD-3-Clause
// How each rank has spent its time: a row for each of a few ranks, or a column for each of many or for a range of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr int most_rows = 20, most_columns = 256;

/// Means over a range of ranks, and extremes of computing.
struct RankRange {
  int first = 0, last = 0, known = 0, sampled = 0;
  double elapsed = 0, computing = 0, transfer = 0, waiting = 0;
  double least_computing = 0, most_computing = 0;

  std::string name() const {
    return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
  }
  std::string in_words() const {
    if (known == 0) return name() + ": no record";
    if (sampled == 0)
      return fmt::format("{}: {} elapsed, {} of it in long waits", name(), seconds_in_words(elapsed),
                         seconds_in_words(waiting));
    std::string text = fmt::format("{}: {} computing, {} moving data, {} waiting", name(), seconds_in_words(computing),
                                   seconds_in_words(transfer), seconds_in_words(waiting));
    if (first != last)
      text += fmt::format(" on average; {} to {} computing", seconds_in_words(least_computing),
                          seconds_in_words(most_computing));
    return text;
  }
};

RankRange range_of(const JobReport& report, int first, int last) {
  RankRange range{.first = first, .last = last};
  for (int rank = first; rank <= last; ++rank) {
    const RankTimes& times = report.times[static_cast<std::size_t>(rank)];
    if (!times.elapsed) continue;
    ++range.known;
    range.elapsed += *times.elapsed;
    range.waiting += times.waiting.value_or(0);
    const std::optional<double> computing = times.computing();
    if (!computing) continue;
    range.computing += *computing;
    range.transfer += *times.transfer;
    range.least_computing = range.sampled == 0 ? *computing : std::min(range.least_computing, *computing);
    range.most_computing = std::max(range.most_computing, *computing);
    ++range.sampled;
  }
  for (double* each : {&range.elapsed, &range.waiting}) *each /= std::max(1, range.known);
  for (double* each : {&range.computing, &range.transfer}) *each /= std::max(1, range.sampled);
  return range;
}

struct BarPart {
  const char* name;
  double seconds;
};

/// What is neither computing, nor moving, nor waiting is not known. Samples may add up to more than the elapsed time,
/// and so may several threads: then all parts are shorter.
std::array<BarPart, 4> parts_of(const RankRange& range) {
  const double sum = range.computing + range.transfer + range.waiting, rest = std::max(0.0, range.elapsed - sum);
  const double fit = sum > range.elapsed ? range.elapsed / sum : 1;
  return {{{"computing", fit * range.computing},
           {"transfer", fit * range.transfer},
           {"waiting", fit * range.waiting},
           {"unsampled", range.sampled == range.known ? 0 : rest}}};
}

std::string rectangle(double x, double y, double width, double height, const char* name) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>", x, y, width,
                     height, name);
}

std::string rows_picture(const JobReport& report, double longest, const std::string& description) {
  constexpr double left = 134, right = 62, row = 23, bar = 15, below = 40;
  const double width = chart_width - left - right, height = row * report.ranks;
  std::string svg = open_picture(height + below, description);
  for (const AxisMark& mark : time_axis(longest)) {
    const double x = left + width * mark.value / longest;
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} 0V{:.1f}\"/>\n", x, height);
    svg += picture_text(x, height + 17, "middle", mark.text);
  }
  for (int rank = 0; rank < report.ranks; ++rank) {
    const RankRange range = range_of(report, rank, rank);
    const double y = row * rank + (row - bar) / 2;
    const int node = report.node_of[static_cast<std::size_t>(rank)];
    const std::string host = node < 0 ? "" : report.hosts[static_cast<std::size_t>(node)];
    svg += picture_text(left - 8, y + 12, "end", fmt::format("{}  {}", shortened(host, 12), range.name()));
    svg += fmt::format("<g><title>{}</title>", escaped(range.in_words()));
    double x = left;
    for (const BarPart& part : parts_of(range)) {
      const double length = width * part.seconds / longest;
      if (length > 0) svg += rectangle(x, y, length, bar, part.name);
      x += length;
    }
    const bool is_known = range.known > 0;
    svg += "</g>\n" + picture_text(is_known ? chart_width - 2 : left + 6, y + 12, is_known ? "end" : "start",
                                   is_known ? share_in_words(range.waiting, range.elapsed) : "no record");
  }
  svg += picture_text(chart_width - 2, height + 36, "end", "waiting");
  return svg + picture_text(left + width / 2, height + 36, "middle", "time of each rank") + std::string(close_picture);
}

/// Two lines from column to column: the least and the most computing of the ranks of each.
std::string lines_of_extremes(const std::vector<RankRange>& ranges, double left, double step, double base,
                              double scale) {
  std::string svg;
  for (double RankRange::*const each : {&RankRange::least_computing, &RankRange::most_computing}) {
    std::string path;
    for (std::size_t i = 0; i < ranges.size(); ++i)
      path += fmt::format("{}{:.1f} {:.1f}h{:.1f}", i == 0 ? "M" : "L", left + step * static_cast<double>(i),
                          base - scale * (ranges[i].*each), step);
    svg += fmt::format("<path class=\"extremes\" d=\"{}\"/>\n", path);
  }
  return svg;
}

std::string columns_picture(const JobReport& report, double longest, int per_column, const std::string& description) {
  constexpr double left = 64, top = 8, height = 220, below = 42, most_gap = 2, overlap = 0.4;
  std::vector<RankRange> ranges;
  for (int first = 0; first < report.ranks; first += per_column)
    ranges.push_back(range_of(report, first, std::min(first + per_column, report.ranks) - 1));
  const double width = chart_width - left - 4, step = width / static_cast<double>(ranges.size());
  const double scale = height / longest, gap = per_column > 1 ? -overlap : std::min(most_gap, step / 5);
  std::string svg = open_picture(top + height + below, description);
  for (const AxisMark& mark : time_axis(longest)) {
    const double y = top + height - scale * mark.value;
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left, y, chart_width);
    svg += picture_text(left - 6, y + 4, "end", mark.text);
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    svg += fmt::format("<g><title>{}</title>", escaped(ranges[i].in_words()));
    double y = top + height;
    if (ranges[i].known == 0)
      svg += rectangle(left + step * static_cast<double>(i), top, step - gap, height, "unsampled");
    for (const BarPart& part : parts_of(ranges[i])) {
      const double length = scale * part.seconds;
      y -= length;
      if (length > 0) svg += rectangle(left + step * static_cast<double>(i), y, step - gap, length, part.name);
    }
    svg += "</g>\n";
  }
  if (per_column > 1) svg += lines_of_extremes(ranges, left, step, top + height, scale);
  for (const AxisMark& mark : rank_axis(report.ranks))
    svg +=
        picture_text(left + step * (std::floor(mark.value / per_column) + 0.5), top + height + 17, "middle", mark.text);
  return svg + picture_text(left + width / 2, top + height + 36, "middle", "rank") + std::string(close_picture);
}

std::string unknown_in_legend(std::string_view what) {
  return fmt::format("<span><i class=\"unsampled\"></i>{}</span>", what);
}

}  // namespace

std::string ranks_section(const JobReport& report) {
  double longest = 0;
  for (const RankTimes& rank : report.times) longest = std::max(longest, rank.elapsed.value_or(0));
  if (longest <= 0) return "";
  const int per_column = (report.ranks + most_columns - 1) / most_columns;
  const std::string description =
      fmt::format("Time of {}: computing, moving data and waiting, {} in all at most",
                  counted(static_cast<std::uint64_t>(report.ranks), "rank", "ranks"), seconds_in_words(longest));
  std::string html = "<section><h2>Where the time of each rank goes</h2>\n";
  if (per_column > 1)
    html += fmt::format(
        "<p>Each column is the mean of {} ranks; the two lines are the least and the most computing "
        "among them.</p>\n",
        per_column);
  std::string others;
  if (!report.missing.empty() && report.ranks > most_rows && per_column == 1) others = unknown_in_legend("no record");
  if (report.not_sampled > 0)
    others += unknown_in_legend("not known: of calls that are not sampled, only long waits are");
  html += legend_of_times(others);
  html += report.ranks <= most_rows ? rows_picture(report, longest, description)
                                    : columns_picture(report, longest, per_column, description);
  return html + "</section>\n";
}

}  // namespace bowline::launcher
