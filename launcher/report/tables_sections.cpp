// SPDX-License-Identifier: BSD-3-Clause
// Adapters, collectives, files and counters: the parts of the page that are tables.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t most_collectives = 30, most_adapters = 30;

std::string file_row(const char* what, std::uint64_t number, std::uint64_t bytes) {
  const double each = number == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(number);
  return fmt::format(
      "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}"
      "</td></tr>\n",
      what, count_in_words(number), bytes_in_words(static_cast<double>(bytes)),
      number == 0 ? "" : bytes_in_words(each));
}

}  // namespace

std::string adapters_section(const JobReport& report) {
  if (report.adapters.empty()) return "";
  double whole = 0;
  for (const AdapterUse& use : report.adapters) whole += use.bytes();
  std::string html =
      "<section><h2>Ways and adapters</h2>\n<p>What carried the bytes of all ranks together.</p>\n<table><thead><tr>"
      "<th>Through</th><th class=\"number\">Sent</th><th class=\"number\">Fetched</th>"
      "<th class=\"number\">Share of the bytes</th></tr></thead><tbody>\n";
  const std::size_t shown = std::min(report.adapters.size(), most_adapters);
  for (const AdapterUse& use : std::span(report.adapters).first(shown))
    html += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        escaped(use.name), bytes_in_words(static_cast<double>(use.sent)),
        bytes_in_words(static_cast<double>(use.fetched)), share_in_words(use.bytes(), whole));
  html += "</tbody></table>\n";
  if (shown < report.adapters.size())
    html += fmt::format("<p>And {}.</p>\n", counted(report.adapters.size() - shown, "other", "others"));
  return html + "</section>\n";
}

std::string collectives_section(const JobReport& report) {
  if (report.collectives.empty()) return "";
  std::string html =
      "<section><h2>Collectives and their algorithms</h2>\n<p>Calls of all ranks together.</p>\n<table><thead><tr>"
      "<th>Operation</th><th>Algorithm</th><th class=\"number\">Calls</th></tr></thead><tbody>\n";
  const std::size_t shown = std::min(report.collectives.size(), most_collectives);
  for (const CollectiveUse& use : std::span(report.collectives).first(shown))
    html += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td></tr>\n", escaped(use.operation),
                        escaped(use.algorithm), count_in_words(use.calls));
  html += "</tbody></table>\n";
  if (shown < report.collectives.size())
    html += fmt::format("<p>And {}.</p>\n", counted(report.collectives.size() - shown, "other", "others"));
  return html + "</section>\n";
}

std::string files_section(const JobReport& report) {
  const FileUse& files = report.files;
  if (files.reads + files.writes == 0) return "";
  return "<section><h2>Files</h2>\n<table><thead><tr><th>Through MPI</th><th class=\"number\">Accesses</th>"
         "<th class=\"number\">Bytes</th><th class=\"number\">Each on average</th></tr></thead><tbody>\n" +
         file_row("read", files.reads, files.bytes_read) + file_row("written", files.writes, files.bytes_written) +
         "</tbody></table>\n</section>\n";
}

std::string counters_section(const JobReport& report) {
  std::string rows;
  std::uint64_t number = 0;
  for (const auto& [name, value] : report.counters) {
    if (value == 0) continue;
    rows += fmt::format("<tr><td><code>{}</code></td><td class=\"number\">{}</td></tr>\n", escaped(name),
                        count_in_words(value));
    ++number;
  }
  if (number == 0) return "";
  return fmt::format(
      "<section><details><summary>{} of the library that are not zero</summary>\n<p>Sums over all ranks; of those "
      "whose names end with _peak the highest value of a rank.</p>\n<table><tbody>\n{}</tbody></table></details>"
      "</section>\n",
      counted(number, "counter", "counters"), rows);
}

}  // namespace bowline::launcher
