// SPDX-License-Identifier: BSD-3-Clause
// mpiexec --report and --record: where the ranks write their records and recordings, and what becomes of these when the
// job has ended.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "launcher/flight/flight_story.hpp"

namespace bowline::launcher {

/// What the ranks of the first job inherit: BOWLINE_REPORT=FOLDER. `scratch`: the private directory of this mpiexec.
std::string report_variable(const std::filesystem::path& scratch);

/// Throws UsageError unless the report (the value of --report) can be written, as far as that can be known before the
/// job.
void check_report(const std::string& report);

/// Writes the report: as a page, as JSON if the name ends with .json, or for "-" as text to standard output. Says on
/// standard error if it cannot. All output of the ranks must have been written.
void write_report(const std::string& report, const std::filesystem::path& scratch) noexcept;

/// What the ranks of the first job inherit, so that they keep their last events: NAME=FOLDER.
std::string record_variable(const std::filesystem::path& scratch);

/// Makes the folder for them. Throws LaunchError.
void make_record_folder(const std::filesystem::path& scratch);

/// Writes what the recordings tell of the end of the job, in the form that the name asks for (the value of --record:
/// FILE.html, FILE.svg, FILE.json, or "-" for text to standard output). Says on standard error if it cannot, and which
/// recordings it leaves out. No rank may run any more, and all their output must have been written.
void write_record(const std::string& record, const std::filesystem::path& scratch,
                  const std::optional<FirstLoss>& first_loss) noexcept;

}  // namespace bowline::launcher
