// SPDX-License-Identifier: BSD-3-Clause
// The self-test as a whole: how parts run, and the verdict.
#include "launcher/selftest/selftest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/library_folder.hpp"
#include "launcher/selftest/selftest_run.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr double longest_part = 30;  ///< seconds after which a part counts as hanging

/// The line that tells most of what a job that failed has said.
std::string reason(const CommandEnd& end) {
  std::string first;
  for (std::size_t begin = 0; begin < end.errors.size();) {
    const std::size_t length = std::min(end.errors.find('\n', begin), end.errors.size()) - begin;
    const std::string line = end.errors.substr(begin, length);
    begin += length + 1;
    if (line.starts_with("srun:") || line.starts_with("slurmstepd") || line.find_first_not_of(' ') == line.npos)
      continue;
    if (line.find("error") != line.npos || line.find("rror:") != line.npos || line.find("MPI_ERR") != line.npos)
      return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "it said nothing" : first;
}

}  // namespace

SelftestRun::SelftestRun(const SelftestOptions& options)
    : options_(options),
      starter_(options.nodes),
      deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds)),
      ranks_program_(companion_file("selftest_ranks")) {
  if (ranks_program_.empty())
    throw LaunchError(
        "the program selftest_ranks is not in the folder lib/bowline beside this program's: install all "
        "of Bowline");
  const std::string where = options.nodes > 1 ? fmt::format("{} nodes, {} to {}", starter_.node_count(),
                                                            starter_.nodes().front(), starter_.nodes().back())
                                              : std::string("one node");
  fmt::print("self-test of {}, at most {} ranks on each; at most {} s\n", where, starter_.ranks_per_node(),
             options.seconds);
  std::fflush(stdout);
}

double SelftestRun::seconds_left() const {
  return std::chrono::duration<double>(deadline_ - std::chrono::steady_clock::now()).count();
}

void SelftestRun::add(SelftestRow row) {
  fmt::print("{}\n", line_of(row));
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

std::optional<PartOutput> SelftestRun::run(const std::string& what, Where where, const std::vector<std::string>& part,
                                           const Variables& variables, const std::string& advice) {
  if (seconds_left() <= 0) {
    ++not_run_;
    return std::nullopt;
  }
  std::vector<std::string> program{ranks_program_};
  program.insert(program.end(), part.begin(), part.end());
  const double limit = std::min(longest_part, std::max(seconds_left(), 1.0));
  const CommandEnd end = run_command(starter_.command(where, program), variables, limit);
  if (end.timed_out && limit < longest_part) {  // for want of time, not because it hangs
    ++not_run_;
    return std::nullopt;
  }
  PartOutput output = parse_part_output(end.output);
  const std::string mend = advice.empty() ? "" : "; " + advice;
  if (end.timed_out) {
    add({Grade::failed, what, "no end", "", fmt::format("no end within {:.0f} s: a rank hangs{}", limit, mend)});
  } else if (end.status != 0) {
    add({Grade::failed, what, fmt::format("status {}", end.status), "",
         fmt::format("the job ended with status {}: {}{}", end.status, reason(end), mend)});
  } else if (output.wrong) {
    add({Grade::failed, what, "wrong data", "",
         fmt::format("{}: do not compute here before this is found; memory, cable or adapter may be faulty{}",
                     *output.wrong, mend)});
  } else if (output.error) {
    add({Grade::failed, what, "an error", "", *output.error + mend});
  } else {
    return output;
  }
  return std::nullopt;
}

int SelftestRun::verdict() const {
  const auto count = [this](Grade grade) {
    return std::ranges::count_if(rows_, [grade](const SelftestRow& row) { return row.grade == grade; });
  };
  const auto failed = count(Grade::failed), slow = count(Grade::slow);
  fmt::print("\n");
  if (failed == 0 && slow == 0)
    fmt::print("verdict: all {} things work, as fast as can be expected here\n", rows_.size());
  else
    fmt::print("verdict: of {} things {} failed and {} are slower than they could be\n", rows_.size(), failed, slow);
  if (not_run_ > 0)
    fmt::print("  {} parts did not run: {} s were over; give more with --seconds\n", not_run_, options_.seconds);
  for (const Grade grade : {Grade::failed, Grade::slow}) {
    std::vector<std::pair<std::string, std::string>> told;  // advice, and all that it is about
    for (const SelftestRow& row : rows_) {
      if (row.grade != grade) continue;
      const auto same = std::ranges::find(told, row.advice, &std::pair<std::string, std::string>::first);
      if (same == told.end())
        told.emplace_back(row.advice, row.what);
      else
        same->second += "; " + row.what;
    }
    for (const auto& [advice, whats] : told)
      fmt::print("  {} {}:\n      {}\n", grade == Grade::failed ? "FAILED" : "slow", whats, advice);
  }
  return failed == 0 ? 0 : 1;
}

int run_selftest(const SelftestOptions& options) {
  SelftestRun test(options);
  test.nodes();
  test.on_node();
  test.windows();
  test.networks();
  test.files();
  test.collectives();
  return test.verdict();
}

}  // namespace bowline::launcher
