// SPDX-License-Identifier: BSD-3-Clause
// How a measured figure is judged beside what the hardware could do, and the lines that say so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace bowline::launcher {

enum class Grade { ok, slow, failed };

/// One line of the self-test: what works, how fast, and of how much.
struct SelftestRow {
  Grade grade = Grade::ok;
  std::string what;
  std::string measured;  ///< with its unit
  std::string possible;  ///< and what it is; empty: nothing is known
  std::string advice;    ///< what it means, and what to mend; empty unless all is well
};

/// What is possible, and of what: "13.7 GB/s that a copy in memory reaches".
struct Possible {
  double value = 0;  ///< MB/s or microseconds; 0: not known
  std::string source;
};

/// From 1.5 GB/s down to 12 MB/s; from 0.08 us to 2.3 s.
std::string rate_text(double megabytes_per_second);
std::string time_text(double microseconds);
std::string bytes_text(std::size_t bytes);

/// A rate is slow below `part` of what is possible; a time beyond `times` as much as that. Without a figure it failed.
SelftestRow judge_rate(std::string what, std::optional<double> measured, const Possible& possible, double part,
                       std::string advice);
SelftestRow judge_time(std::string what, std::optional<double> measured, const Possible& possible, double times,
                       std::string advice);

/// "ok      what    measured    of possible", in columns.
std::string line_of(const SelftestRow& row);

}  // namespace bowline::launcher
