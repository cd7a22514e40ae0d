// SPDX-License-Identifier: BSD-3-Clause
// The report of a job: read from what its ranks have written, and told in three forms.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "launcher/report/job_report.hpp"

namespace bowline::launcher {

/// From the folder's files rank-N.json; others are left alone. The date is that of the newest one. Throws UsageError, a
/// sentence with the name of the file, if one is no record of a rank of this job, and if there is none.
JobReport read_job(const std::filesystem::path& folder);

/// From a folder, or from a document of to_json().
JobReport read_report(const std::filesystem::path& path);

/// A page that needs no other file, for a screen of any size, and for paper.
std::string to_html(const JobReport& report);

/// At most 80 columns, unless names are long.
std::string to_text(const JobReport& report);

/// A document that read_report() and report_in() read again.
std::string to_json(const JobReport& report);

/// `text`: of a document of to_json(). Throws UsageError, a sentence with this name, if it is none.
JobReport report_in(std::string_view text, const std::string& file);

/// What is different in the second job, in words.
std::string comparison_of(const JobReport& before, const JobReport& after);

}  // namespace bowline::launcher
