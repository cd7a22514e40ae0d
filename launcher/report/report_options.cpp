// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/report_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

void check_report_options(const ReportOptions& wanted) {
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
      "waited. The records come from a job that was started with a report. Two inputs are compared.",
      "bowline-report");
  ReportOptions wanted;
  std::vector<std::string> inputs;
  std::string output;
  bool version = false;
  cli.add_option("INPUT", inputs, "The folder with the records of a job, or its report as JSON; two are compared");
  CLI::Option* const to = cli.add_option("-o,--output", output,
                                         "Write a page (a name that ends with .html) or a document (.json) and print "
                                         "nothing")
                              ->type_name("FILE");
  cli.add_flag("--text", wanted.text, "Print the report as text; without -o this is the default")
      ->disable_flag_override();
  cli.add_flag("-V,--version", version, "Print the version alone")->disable_flag_override();
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    cli.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {.print = cli.help()};
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    std::ranges::replace(sentence, '\n', ' ');
    throw UsageError("{}; \"bowline-report --help\" lists the options", sentence);
  }
  if (version) return {.print = "bowline-report (Bowline) " BOWLINE_VERSION "\n"};
  wanted.inputs.assign(inputs.begin(), inputs.end());
  if (to->count() > 0) wanted.output = output;
  check_report_options(wanted);
  return wanted;
}

}  // namespace bowline::launcher
