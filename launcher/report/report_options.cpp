// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/report_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "launcher/command_line/help.hpp"
#include "launcher/flight/flight_output.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

double to_last(const std::string& text) {
  constexpr double most = 1e9;
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || !(seconds > 0 && seconds <= most))
    throw UsageError("--last is \"{}\": give the seconds before the end that are to be shown, more than 0", text);
  return seconds;
}

void check_timeline_options(const ReportOptions& wanted) {
  if (wanted.inputs.size() != 1)
    throw UsageError("--timeline: give one folder, with the recordings of a job (rank-N.flight)");
  if (wanted.output && !is_flight_output(wanted.output->string()))
    throw UsageError("-o {}: the name of a timeline must end with .html, .svg or .json, or be - for text",
                     wanted.output->string());
}

void check_report_options(const ReportOptions& wanted) {
  if (wanted.timeline) return check_timeline_options(wanted);
  if (wanted.last) throw UsageError("--last belongs to --timeline: add that, or leave it out");
  if (wanted.inputs.empty())
    throw UsageError("the input is missing: give the folder with the records of a job, or a report as JSON");
  if (wanted.inputs.size() > 2)
    throw UsageError("{} inputs are too many: give one, or two that are to be compared", wanted.inputs.size());
  if (!wanted.output) return;
  if (wanted.inputs.size() == 2) throw UsageError("a comparison is printed as text: leave -o away");
  const std::string kind = wanted.output->extension();
  if (kind != ".html" && kind != ".json")
    throw UsageError("-o {}: the name must end with .html or .json", wanted.output->string());
}

}  // namespace

ReportOptions parse_report_options(std::span<const std::string> arguments) {
  CLI::App cli(
      "Tells what the ranks of a job have done: how much they computed and how long MPI took, where, and for whom they "
      "waited. The records come from a job that was started with a report. Two inputs are compared. With --timeline it "
      "tells what the flight recorders of a job have kept of its end.",
      "bowline-report");
  declare_help(cli);
  ReportOptions wanted;
  std::vector<std::string> inputs;
  std::string output;
  bool version = false;
  cli.add_option("INPUT", inputs, "The folder with the records of a job, or its report as JSON; two are compared")
      ->type_name("FILE|DIR");
  CLI::Option* const to = cli.add_option("-o,--output", output,
                                         "Write a page (a name that ends with .html) or a document (.json) and print "
                                         "nothing; of a timeline also its picture alone (.svg), and the document is a "
                                         "trace for Perfetto")
                              ->type_name("FILE");
  cli.add_flag("--text", wanted.text, "Print the report as text; without -o this is the default")
      ->disable_flag_override();
  std::string last;
  cli.add_flag("--timeline", wanted.timeline,
               "Tell how the job ended, by the last events of its ranks; the input is a folder with their recordings")
      ->disable_flag_override();
  CLI::Option* const seconds =
      cli.add_option("--last", last, "Of a timeline: the seconds before the end that are shown (default 1)")
          ->type_name("SECONDS");
  cli.add_flag("-V,--version", version, "Print the version alone")->disable_flag_override();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    cli.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {.print = requested_help(cli)};
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    std::ranges::replace(sentence, '\n', ' ');
    throw UsageError("{}; \"bowline-report --help\" lists the options", sentence);
  }
  if (version) return {.print = "bowline-report (Bowline) " BOWLINE_VERSION "\n"};
  wanted.inputs.assign(inputs.begin(), inputs.end());
  if (to->count() > 0) wanted.output = output;
  if (seconds->count() > 0) wanted.last = to_last(last);
  check_report_options(wanted);
  return wanted;
}

}  // namespace bowline::launcher
