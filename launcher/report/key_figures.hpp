// SPDX-License-Identifier: BSD-3-Clause
// The few numbers with which a report begins, each with a verdict, and the sentence that says what matters most.
#pragma once

#include <array>
#include <string>

#include "launcher/report/job_report.hpp"
#include "launcher/report/job_totals.hpp"

namespace bowline::launcher {

enum class Verdict { good, fair, poor, unknown };

struct KeyFigure {
  std::string label, value;
  Verdict verdict = Verdict::unknown;
  std::string word{};  ///< the verdict
  std::string note{};
};

/// Elapsed time, share of MPI, waiting beside moving data, memory.
std::array<KeyFigure, 4> key_figures(const JobReport& report, const JobTotals& totals);

/// The largest cost of MPI, with its place and the ranks that it concerns, or that there is little to gain.
struct Finding {
  std::string sentence;
  Verdict verdict = Verdict::unknown;
};

Finding finding_of(const JobReport& report, const JobTotals& totals);

}  // namespace bowline::launcher
