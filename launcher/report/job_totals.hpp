// SPDX-License-Identifier: BSD-3-Clause
// Sums and extremes over the ranks of a report, from which its figures, its finding and its advice are made.
#pragma once

#include <optional>

#include "launcher/report/job_report.hpp"

namespace bowline::launcher {

/// Of something that several ranks know.
struct Spread {
  int known = 0;  ///< ranks; the rest means nothing if it is 0
  double sum = 0, least = 0, most = 0;
  int rank_of_most = 0, rank_of_least = 0;

  void add(int rank, double value);
  double mean() const { return known == 0 ? 0 : sum / known; }
  double mean_of_others() const { return known < 2 ? mean() : (sum - most) / (known - 1); }
};

struct JobTotals {
  Spread elapsed{}, waiting{}, transfer{}, computing{}, memory{};
  double waiting_time = 0;      ///< of the ranks that know how long they waited: their seconds
  double sampled_time = 0;      ///< of the ranks that know their transfers, too
  WaitedFor most_waited_for{};  ///< the rank for which all together wait most

  std::optional<double> waiting_share() const;
  std::optional<double> transfer_share() const;
  /// Of the ranks that are sampled; nothing if there is none.
  std::optional<double> mpi_share() const;
};

JobTotals totals_of(const JobReport& report);

}  // namespace bowline::launcher
