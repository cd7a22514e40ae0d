// SPDX-License-Identifier: BSD-3-Clause
// Which functions of MPI take the time, and from where they are called.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t most_sites = 20, most_functions = 8;

struct FunctionTimes {
  std::string name;
  double waiting = 0, transfer = 0;
  double total() const { return waiting + transfer; }
};

/// The longest first.
std::vector<FunctionTimes> functions_of(const JobReport& report) {
  std::map<std::string, FunctionTimes> by_name;
  for (const Site& site : report.sites) {
    FunctionTimes& function = by_name[site.function];
    function.name = site.function;
    function.waiting += site.waiting;
    function.transfer += site.transfer;
  }
  std::vector<FunctionTimes> functions;
  for (auto& [name, function] : by_name) {
    if (function.total() > 0) functions.push_back(std::move(function));
  }
  std::ranges::stable_sort(functions, std::ranges::greater(), &FunctionTimes::total);
  return functions;
}

std::string functions_picture(const std::vector<FunctionTimes>& functions, double whole) {
  constexpr double left = 170, right = 70, row = 23, bar = 15, below = 40;
  const std::size_t shown = std::min(functions.size(), most_functions);
  const double longest = functions.front().total(), width = chart_width - left - right;
  const double height = row * static_cast<double>(shown);
  std::string svg =
      open_picture(height + below, "Time in functions of MPI, all ranks together, moving data and waiting");
  for (const AxisMark& mark : time_axis(longest)) {
    const double x = left + width * mark.value / longest;
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} 0V{:.1f}\"/>\n", x, height);
    svg += picture_text(x, height + 17, "middle", mark.text);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const FunctionTimes& function = functions[i];
    const double y = row * static_cast<double>(i) + (row - bar) / 2, moving = width * function.transfer / longest;
    const double length = width * function.total() / longest;
    svg += picture_text(left - 8, y + 12, "end", shortened(function.name, 24));
    svg += fmt::format(
        "<g><title>{}: {} moving data, {} waiting</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{}\" class=\"transfer\"/><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
        "class=\"waiting\"/></g>\n",
        escaped(function.name), seconds_in_words(function.transfer), seconds_in_words(function.waiting), left, y,
        moving, bar, left + moving, y, length - moving, bar);
    svg += picture_text(left + length + 6, y + 12, "start", share_in_words(function.total(), whole));
  }
  return svg +
         picture_text(left + width / 2, height + 36, "middle",
                      "time of all ranks together, with its share of all time") +
         std::string(close_picture);
}

std::string site_bar(const Site& site, double longest) {
  const double moving = 100 * site.transfer / longest, waiting = 100 * site.waiting / longest;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{} moving data, {} waiting\"><rect width=\"{:.2f}\" height=\"8\" class=\"transfer\"/>"
      "<rect x=\"{:.2f}\" width=\"{:.2f}\" height=\"8\" class=\"waiting\"/></svg>",
      seconds_in_words(site.transfer), seconds_in_words(site.waiting), moving, moving, waiting);
}

std::string site_row(const Site& site, double longest, double whole) {
  const std::string whom = site.waited_for.empty() || site.waiting <= 0 ? "" : waits_in_words(site.waited_for) + "<br>";
  const std::string most =
      site.ranks > 1 ? fmt::format("longest on rank {}, {}", site.longest, seconds_in_words(site.longest_total()))
                     : fmt::format("only rank {}", site.longest);
  return fmt::format(
      "<tr><td class=\"call\"><b>{}</b> <code>{}</code>{}</td><td class=\"number\" data-label=\"waiting\">{}</td>"
      "<td class=\"number\" data-label=\"moving data\">{}</td><td class=\"number\" data-label=\"of the time\">{}</td>"
      "<td class=\"number\" data-label=\"ranks\">{}</td><td class=\"whom\" data-label=\"waits for\">{}{}</td></tr>\n",
      escaped(site.function), escaped(site.place.empty() ? "place not known" : site.place), site_bar(site, longest),
      seconds_in_words(site.waiting), seconds_in_words(site.transfer), share_in_words(site.total(), whole),
      count_in_words(static_cast<std::uint64_t>(site.ranks)), whom, most);
}

}  // namespace

std::string sites_section(const JobReport& report, const JobTotals& totals) {
  const std::vector<FunctionTimes> functions = functions_of(report);
  if (functions.empty()) return "";
  const double whole = totals.waiting_time, longest = report.sites.front().total();
  std::string html =
      "<section class=\"long\"><h2>Which calls take the time</h2>\n<p>By function, then by the place that calls it. "
      "Times are sums over all ranks.</p>\n<p class=\"legend\"><span><i class=\"transfer\"></i>moving data</span>"
      "<span><i class=\"waiting\"></i>waiting</span></p>\n";
  html += functions_picture(functions, whole);
  html +=
      "<table class=\"calls\"><thead><tr><th>Call</th><th class=\"number\">Waiting</th><th class=\"number\">Moving "
      "data</th><th class=\"number\">Of the time</th><th class=\"number\">Ranks</th><th>Waits for</th></tr></thead>"
      "<tbody>\n";
  double rest = 0;
  const std::size_t shown = sites_to_show(report, whole, most_sites);
  for (std::size_t i = 0; i < report.sites.size(); ++i) {
    if (i < shown) {
      html += site_row(report.sites[i], longest, whole);
    } else {
      rest += report.sites[i].total();
    }
  }
  html += "</tbody></table>\n";
  if (report.sites.size() > shown)
    html += fmt::format("<p>And {}, {} together.</p>\n",
                        counted(report.sites.size() - shown, "other place", "other places"), seconds_in_words(rest));
  return html + "</section>\n";
}

}  // namespace bowline::launcher
