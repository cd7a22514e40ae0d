// SPDX-License-Identifier: BSD-3-Clause
// The page: what matters most comes first, then a section for each subject.
#include <fmt/format.h>

#include <array>

#include "launcher/report/advice.hpp"
#include "launcher/report/html_parts.hpp"
#include "launcher/report/job_totals.hpp"
#include "launcher/report/key_figures.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t most_of_command = 400;  // bytes

std::string_view class_of(Verdict verdict) {
  constexpr std::array<std::string_view, 4> names = {"good", "fair", "poor", "unknown"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string head_of_page(const JobReport& report) {
  const std::string command =
      report.command.empty() ? "a job whose command is not known" : shortened(report.command, most_of_command);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>Job report: {}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<main>\n<header><p class=\"kind\">Job report</p>\n<h1>{}</h1>\n<p>{}</p></header>\n",
      escaped(command), page_style(), escaped(command), escaped(title_in_words(report)));
}

std::string figures_part(const JobReport& report, const JobTotals& totals) {
  std::string html = "<div class=\"figures\">\n";
  for (const KeyFigure& figure : key_figures(report, totals))
    html += fmt::format(
        "<div class=\"figure\"><p class=\"label\">{}</p><p class=\"value\">{}</p><p class=\"verdict {}\">{}</p>"
        "<p class=\"note\">{}</p></div>\n",
        escaped(figure.label), escaped(figure.value), class_of(figure.verdict), escaped(figure.word),
        escaped(figure.note));
  return html + "</div>\n";
}

std::string finding_part(const JobReport& report, const JobTotals& totals, std::size_t advice) {
  const Finding finding = finding_of(report, totals);
  std::string html =
      fmt::format("<section class=\"finding {}\"><p>{}</p>", class_of(finding.verdict), escaped(finding.sentence));
  if (advice > 0)
    html +=
        fmt::format("<p><a href=\"#advice\">{} below</a></p>", counted(advice, "piece of advice", "pieces of advice"));
  return html + "</section>\n";
}

std::string advice_part(const std::vector<Advice>& advice) {
  if (advice.empty()) return "<section id=\"advice\"><h2>Advice</h2>\n<p>There is nothing to advise.</p></section>\n";
  std::string html = "<section id=\"advice\"><h2>Advice</h2>\n<ul class=\"advice\">\n";
  for (const Advice& each : advice)
    html += fmt::format("<li><b>{}</b> {} {}</li>\n", escaped(each.what), escaped(each.reason), escaped(each.remedy));
  return html + "</ul></section>\n";
}

std::string foot_of_page(const JobReport& report) {
  const std::size_t records = static_cast<std::size_t>(report.ranks) - report.missing.size();
  return fmt::format(
      "<footer>From the {}. Times run from the end of MPI_Init to the beginning of MPI_Finalize. "
      "docs/reports.md says what the parts mean.</footer>\n</main>\n</body>\n</html>\n",
      counted(records, "record of a rank", "records of ranks"));
}

}  // namespace

std::string to_html(const JobReport& report) {
  const JobTotals totals = totals_of(report);
  const std::vector<Advice> advice = advice_for(report, totals);
  return head_of_page(report) + figures_part(report, totals) + finding_part(report, totals, advice.size()) +
         ranks_section(report) + sites_section(report, totals) + traffic_section(report) + sizes_section(report) +
         adapters_section(report) + collectives_section(report) + files_section(report) + memory_section(report) +
         counters_section(report) + advice_part(advice) + foot_of_page(report);
}

}  // namespace bowline::launcher
