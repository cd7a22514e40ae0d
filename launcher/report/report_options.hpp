// SPDX-License-Identifier: BSD-3-Clause
// The command line of bowline-report as values.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bowline::launcher {

struct ReportOptions {
  std::vector<std::filesystem::path> inputs{};  ///< one, or two that are to be compared
  std::optional<std::filesystem::path>
      output{};                        ///< its name ends with .html or .json; of a timeline also .svg, or "-"
  bool text = false;                   ///< print the report, although there is an output
  bool timeline = false;               ///< of the input, a folder with the recordings of flight recorders
  std::optional<double> last{};        ///< seconds of a timeline
  std::optional<std::string> print{};  ///< if only this is to be printed: the help text, or the version
};

/// Parses the arguments after the program's name. Throws UsageError, one sentence that says which argument is wrong,
/// and what is allowed.
ReportOptions parse_report_options(std::span<const std::string> arguments);

}  // namespace bowline::launcher
