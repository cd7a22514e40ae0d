// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/key_figures.hpp"

#include <fmt/format.h>

#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

/// A verdict by limits: good below the first, fair below the second.
struct Scale {
  double fair, poor;
  std::array<const char*, 3> words;

  void judge(double value, KeyFigure& figure) const {
    figure.verdict = value < fair ? Verdict::good : value < poor ? Verdict::fair : Verdict::poor;
    figure.word = words[static_cast<std::size_t>(figure.verdict)];
  }
};

constexpr Scale balance_scale{1.1, 1.5, {"even work", "uneven work", "very uneven work"}};
constexpr Scale mpi_scale{0.1, 0.4, {"little", "noticeable", "much"}};
constexpr Scale waiting_scale{0.05, 0.2, {"little waiting", "some waiting", "much waiting"}};
constexpr Scale memory_scale{1.25, 2, {"alike on all ranks", "uneven", "very uneven"}};
constexpr const char* not_known = "not known";

std::string percent_of(const std::optional<double>& share) {
  return share ? share_in_words(*share, 1) : "?";
}

KeyFigure elapsed_figure(const JobReport& report, const JobTotals& totals) {
  KeyFigure figure{.label = "Elapsed", .value = totals.elapsed.known > 0 ? seconds_in_words(totals.elapsed.most) : "?"};
  const Spread& computing = totals.computing;
  if (report.ranks > 1 && computing.known > 1 && computing.mean() > 0) {
    balance_scale.judge(computing.most / computing.mean(), figure);
    figure.note = fmt::format("computing {} on average, {} on rank {}", seconds_in_words(computing.mean()),
                              seconds_in_words(computing.most), computing.rank_of_most);
  } else {
    figure.word = report.ranks == 1 ? "one rank" : "balance not known";
    figure.note = "from MPI_Init to MPI_Finalize";
  }
  return figure;
}

KeyFigure mpi_figure(const JobReport& report, const JobTotals& totals) {
  KeyFigure figure{.label = "Time in MPI", .word = not_known, .note = "of the time of all ranks together"};
  const std::optional<double> share = totals.mpi_share(), waiting = totals.waiting_share();
  if (share && report.not_sampled == 0) {
    figure.value = percent_of(share);
    mpi_scale.judge(*share, figure);
    return figure;
  }
  figure.value = waiting ? "at least " + percent_of(waiting) : "?";
  figure.note = "calls of MPI were not sampled";
  return figure;
}

KeyFigure waiting_figure(const JobReport& report, const JobTotals& totals) {
  KeyFigure figure{.label = "Waiting / moving data", .word = not_known, .note = "shares of the time, both within MPI"};
  figure.value = fmt::format("{} / {}", percent_of(totals.waiting_share()), percent_of(totals.transfer_share()));
  if (const std::optional<double> share = totals.waiting_share()) waiting_scale.judge(*share, figure);
  if (report.not_sampled > 0) figure.note = "long waits only; moving data is not known of all ranks";
  return figure;
}

KeyFigure memory_figure(const JobTotals& totals) {
  const Spread& memory = totals.memory;
  if (memory.known == 0) return {.label = "Memory of a rank, peak", .value = "?", .word = not_known};
  KeyFigure figure{.label = "Memory of a rank, peak", .value = bytes_in_words(memory.most)};
  if (memory.mean() > 0) memory_scale.judge(memory.most / memory.mean(), figure);
  figure.note = fmt::format("on rank {}; {} on average", memory.rank_of_most, bytes_in_words(memory.mean()));
  return figure;
}

}  // namespace

std::array<KeyFigure, 4> key_figures(const JobReport& report, const JobTotals& totals) {
  return {elapsed_figure(report, totals), mpi_figure(report, totals), waiting_figure(report, totals),
          memory_figure(totals)};
}

}  // namespace bowline::launcher
