// SPDX-License-Identifier: BSD-3-Clause
// bowline-report: what each rank of a job did, as text, as a page or as a document; or what changed between two jobs;
// or how a job ended, as its flight recorders tell it.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "launcher/flight/flight_output.hpp"
#include "launcher/report/report_options.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/usage_error.hpp"

namespace {

namespace launcher = bowline::launcher;

void write_report(const launcher::JobReport& report, const std::filesystem::path& output) {
  const std::string text = output.extension() == ".html" ? to_html(report) : to_json(report);
  errno = 0;
  std::ofstream file(output, std::ios::binary);
  file << text << std::flush;
  if (!file)
    throw launcher::LaunchError("{} cannot be written: {}", output.string(),
                                errno != 0 ? std::generic_category().message(errno) : "the system does not say why");
}

/// What is left out is told on standard error, a sentence for each recording.
void tell_timeline(const launcher::ReportOptions& wanted) {
  const std::filesystem::path to(launcher::flight_to_output), output = wanted.output.value_or(to);
  const std::filesystem::path& folder = wanted.inputs.front();
  for (const std::string& problem : launcher::write_flight(folder, {.last = wanted.last}, output.string()))
    fmt::print(stderr, "bowline-report: {}\n", problem);
  if (wanted.text && output != to) launcher::write_flight(folder, {.last = wanted.last}, to.string());
}

void tell(const launcher::ReportOptions& wanted) {
  if (wanted.print) return fmt::print("{}", *wanted.print);
  if (wanted.timeline) return tell_timeline(wanted);
  const launcher::JobReport report = launcher::read_report(wanted.inputs.front());
  if (wanted.inputs.size() == 2)
    return fmt::print("{}", launcher::comparison_of(report, launcher::read_report(wanted.inputs.back())));
  if (wanted.output) write_report(report, *wanted.output);
  if (!wanted.output || wanted.text) fmt::print("{}", to_text(report));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    tell(launcher::parse_report_options(std::vector<std::string>(argv + 1, argv + argc)));
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return 0;
  } catch (const launcher::UsageError& error) {
    fmt::print(stderr, "bowline-report: {}\n", error.what());
    return launcher::status_bad_input;
  } catch (const std::system_error& error) {  // fmt::print throws it, too
    fmt::print(stderr, "bowline-report: cannot write to standard output: {}\n", error.code().message());
    return EXIT_FAILURE;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bowline-report: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
