// SPDX-License-Identifier: BSD-3-Clause
// A rule is a function that looks at one thing. Their order is that of the advice.
#include "launcher/report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

using Rule = std::optional<Advice> (*)(const JobReport&, const JobTotals&);

/// The site at which most is waited for this rank.
const Site* site_that_waits_for(const JobReport& report, int rank) {
  const Site* longest = nullptr;
  double most = 0;
  for (const Site& site : report.sites) {
    for (const WaitedFor& each : site.waited_for) {
      if (each.rank != rank || each.seconds <= most) continue;
      longest = &site;
      most = each.seconds;
    }
  }
  return longest;
}

/// "the others 2.1 s on average".
std::string mean_in_words(const Spread& computing) {
  return fmt::format("{} {}{}", computing.known == 2 ? "the other" : "the others",
                     seconds_in_words(computing.mean_of_others()), computing.known == 2 ? "" : " on average");
}

/// How much the others wait for this rank, and where: "" if they do not.
std::string waiting_for(const JobReport& report, int rank) {
  double seconds = 0;
  for (const Site& site : report.sites) {
    for (const WaitedFor& each : site.waited_for) seconds += each.rank == rank ? each.seconds : 0;
  }
  const Site* const site = site_that_waits_for(report, rank);
  if (site == nullptr) return "";
  return fmt::format("; others wait {} for it together, most in {} (rank {} the longest)", seconds_in_words(seconds),
                     site->in_words(), site->longest);
}

std::optional<Advice> missing_ranks(const JobReport& report, const JobTotals&) {
  if (report.missing.empty()) return {};
  const bool one = report.missing.size() == 1;
  return Advice{fmt::format("{} {} left no record.", one ? "Rank" : "Ranks", ranks_in_words(report.missing)),
                fmt::format("A rank writes its record in MPI_Finalize: {} died, or left without it; {} not in any "
                            "figure here.",
                            one ? "this one" : "these", one ? "it is" : "they are"),
                "Look at what mpiexec said when the job ended."};
}

std::optional<Advice> not_sampled(const JobReport& report, const JobTotals&) {
  if (report.not_sampled == 0) return {};
  return Advice{fmt::format("The calls of {} were not sampled.",
                            counted(static_cast<std::uint64_t>(report.not_sampled), "rank", "ranks")),
                report.note.empty() ? "Their records do not say why." : report.note,
                "Waiting counts long waits only, and how long data moved is not known."};
}

std::optional<Advice> short_job(const JobReport&, const JobTotals& totals) {
  constexpr double seconds = 1;
  if (totals.elapsed.known == 0 || totals.elapsed.most >= seconds) return {};
  return Advice{"The job is too short to judge.",
                fmt::format("It ran for {}: what happens once, at the start, weighs too much.",
                            seconds_in_words(totals.elapsed.most)),
                "Look at a run of several seconds at least."};
}

std::optional<Advice> one_rank_computes_longer(const JobReport& report, const JobTotals& totals) {
  constexpr double longer = 1.2, fewest_seconds = 0.01, least_waiting = 0.05;
  const Spread& computing = totals.computing;
  const double others = computing.mean_of_others();
  if (computing.known < 2 || computing.most < longer * others || computing.most - others < fewest_seconds) return {};
  if (totals.waiting_share().value_or(0) < least_waiting) return {};
  const int rank = computing.rank_of_most;
  return Advice{
      fmt::format("Rank {} computes longer than {}.", rank, computing.known == 2 ? "the other" : "the others"),
      fmt::format("It computes {}, {}{}.", seconds_in_words(computing.most), mean_in_words(computing),
                  waiting_for(report, rank)),
      fmt::format("Give rank {} less work, or look why it is slower: other processes on its cores, input and "
                  "output that it does alone, a slower node.",
                  rank)};
}

/// As it does when it waits for a disk, or receives what others have sent one after the other.
std::optional<Advice> one_rank_is_waited_for(const JobReport& report, const JobTotals& totals) {
  constexpr double share_of_waiting = 0.3, share_of_time = 0.1;
  const WaitedFor& most = totals.most_waited_for;
  if (one_rank_computes_longer(report, totals) || totals.waiting_share().value_or(0) < share_of_time) return {};
  if (most.rank == several_ranks || most.seconds < share_of_waiting * totals.waiting.sum) return {};
  return Advice{
      fmt::format("The others wait for rank {}.", most.rank),
      fmt::format("{} of all waiting is for rank {}{}, although it does not compute longest.",
                  share_in_words(most.seconds, totals.waiting.sum), most.rank, waiting_for(report, most.rank)),
      "Let more ranks share what it does: use collective calls in place of one rank that serves all, or start "
      "its sends earlier."};
}

std::optional<Advice> much_mpi(const JobReport&, const JobTotals& totals) {
  constexpr double much = 0.4;
  const std::optional<double> mpi = totals.mpi_share();
  if (!mpi || *mpi <= much) return {};
  const bool waits = totals.waiting_share().value_or(0) >= totals.transfer_share().value_or(0);
  return Advice{fmt::format("MPI takes {} of the time.", share_in_words(*mpi, 1)),
                fmt::format("{} is waiting for other ranks and {} moving data.",
                            share_in_words(totals.waiting_share().value_or(0), 1),
                            share_in_words(totals.transfer_share().value_or(0), 1)),
                waits
                    ? "Share the work more evenly, or begin communication earlier and complete it later (MPI_Isend, "
                      "MPI_Irecv, MPI_Iallreduce), so that ranks compute meanwhile."
                    : "Send less, or fewer and longer messages; with the same data on fewer ranks, less has to move."};
}

std::optional<Advice> early_messages(const JobReport& report, const JobTotals&) {
  constexpr std::uint64_t one_in = 10;
  std::uint64_t messages = 0;
  if (report.counter("eager_messages") == 0) return {};  // the long ones alone are too few to compare with
  for (const auto& [name, value] : report.counters) {
    const bool counts = name.ends_with("_messages") && name != "unexpected_messages" && name != "listed_messages";
    messages += counts ? value : 0;
  }
  const std::uint64_t early = report.counter("unexpected_messages");
  if (early * one_in <= messages) return {};
  return Advice{fmt::format("{} of the messages arrive before their receives.",
                            share_in_words(static_cast<double>(early), static_cast<double>(messages))),
                fmt::format("{} of {} messages were unexpected: they are kept aside and copied once more.",
                            count_in_words(early), count_in_words(messages)),
                "Post receives earlier: MPI_Irecv before the computation, or persistent receives."};
}

std::optional<Advice> uneven_memory(const JobReport&, const JobTotals& totals) {
  constexpr double times_mean = 1.5, least_excess = 64.0 * 1024 * 1024;
  const Spread& memory = totals.memory;
  const double others = memory.mean_of_others();
  if (memory.known < 2 || memory.most < times_mean * others || memory.most - others < least_excess) return {};
  return Advice{fmt::format("Rank {} takes much more memory than the others.", memory.rank_of_most),
                fmt::format("Its peak is {}, that of the others {} on average.", bytes_in_words(memory.most),
                            bytes_in_words(others)),
                "Read input and gather results in parts, or let all ranks take part (MPI_File_read_all, MPI_Scatterv), "
                "if the job is to grow."};
}

std::optional<Advice> small_accesses(const JobReport& report, const JobTotals&) {
  constexpr std::uint64_t fewest = 10000, small = 64 * 1024;
  const std::uint64_t number = report.files.reads + report.files.writes;
  const std::uint64_t bytes = report.files.bytes_read + report.files.bytes_written;
  if (number < fewest || bytes / number >= small) return {};
  return Advice{"Files are read and written in small pieces.",
                fmt::format("{} move {} on average.", counted(number, "access", "accesses"),
                            bytes_in_words(static_cast<double>(bytes) / static_cast<double>(number))),
                "Use collective calls (MPI_File_write_all) with file views: they make few large accesses of many small "
                "ones."};
}

constexpr Rule rules[] = {missing_ranks,          not_sampled, short_job,      one_rank_computes_longer,
                          one_rank_is_waited_for, much_mpi,    early_messages, uneven_memory,
                          small_accesses};

}  // namespace

std::vector<Advice> advice_for(const JobReport& report, const JobTotals& totals) {
  std::vector<Advice> advice;
  for (const Rule rule : rules) {
    if (std::optional<Advice> found = rule(report, totals)) advice.push_back(std::move(*found));
  }
  return advice;
}

}  // namespace bowline::launcher
