// SPDX-License-Identifier: BSD-3-Clause
// What to change in a program or in how it is started, from the report of a job.
#pragma once

#include <string>
#include <vector>

#include "launcher/report/job_report.hpp"
#include "launcher/report/job_totals.hpp"

namespace bowline::launcher {

/// Three sentences.
struct Advice {
  std::string what, reason, remedy;
};

/// The most urgent first; none if nothing is to be changed.
std::vector<Advice> advice_for(const JobReport& report, const JobTotals& totals);

}  // namespace bowline::launcher
