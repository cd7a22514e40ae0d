// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/ps/ps_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace bowline::launcher {
namespace {

using Clock = std::chrono::steady_clock;

std::string_view state_of(const RankView& rank) {
  if (rank.stage == RankStage::ended) return "ended";
  if (rank.stage == RankStage::started) return "starting";
  if (rank.stopped) return "stopped";
  return is_waiting(rank) ? "waiting" : "running";
}

double seconds_of(const RankView& rank, Clock::time_point now) {
  const Clock::time_point since{std::chrono::nanoseconds(rank.line.since)};
  return std::max(0.0, std::chrono::duration<double>(now - since).count());
}

std::string line_of(int number, const RankView& rank, Clock::time_point now) {
  std::string line = fmt::format("  rank {:<5} process {:<8} {}", number, rank.line.process, state_of(rank));
  if (!is_waiting(rank)) return line;
  line += fmt::format(" for {:.1f} s {}", seconds_of(rank, now), rank.line.text);
  return rank.place.empty() ? line : fmt::format("{} ({})", line, rank.place);
}

std::string_view in_words(WaitTargets::Kind kind) {
  switch (kind) {
    case WaitTargets::Kind::all:
      return "all";
    case WaitTargets::Kind::any:
      return "any";
    case WaitTargets::Kind::outside:
      break;
  }
  return "outside";
}

nlohmann::json to_json(int number, const RankView& rank, Clock::time_point now) {
  nlohmann::json json{{"rank", number}, {"process", rank.line.process}, {"state", state_of(rank)}};
  if (!is_waiting(rank)) return json;
  const WaitTargets& targets = rank.line.targets;
  json["what"] = rank.line.text;
  json["seconds"] = seconds_of(rank, now);
  json["place"] = rank.place;
  json["waits_for"] = {{"kind", in_words(targets.kind)},
                       {"ranks", std::vector<int>(targets.listed().begin(), targets.listed().end())},
                       {"more", targets.more}};
  return json;
}

std::string first_line_of(const RunningJob& job) {
  const std::size_t here = job.numbers.size();
  const std::string counted = fmt::format("{} {}", job.size, job.size == 1 ? "rank" : "ranks");
  if (job.launcher != 0) return fmt::format("{}: {} ({})\n", job.launcher, job.command, counted);
  if (here == static_cast<std::size_t>(job.size)) return fmt::format("{}: {} ({})\n", job.name, job.command, counted);
  return fmt::format("{}: {} ({} of {} here)\n", job.name, job.command, here, counted);
}

}  // namespace

std::string in_words(std::span<const RunningJob> jobs, bool grouped, const std::string& host, Clock::time_point now) {
  std::string text;
  for (const RunningJob& job : jobs) {
    const std::vector<RankView> ranks = job.ranks();
    text += first_line_of(job);
    if (grouped) {
      for (const std::string& line : describe_waits(ranks, host, now, job.numbers)) text += fmt::format("  {}\n", line);
      continue;
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) text += line_of(job.numbers[i], ranks[i], now) + '\n';
  }
  return text;
}

std::string in_json(std::span<const RunningJob> jobs, const std::string& host, Clock::time_point now) {
  nlohmann::json all = nlohmann::json::array();
  for (const RunningJob& job : jobs) {
    nlohmann::json ranks = nlohmann::json::array();
    const std::vector<RankView> views = job.ranks();
    for (std::size_t i = 0; i < views.size(); ++i) ranks.push_back(to_json(job.numbers[i], views[i], now));
    nlohmann::json told{{"command", job.command}, {"size", job.size}, {"ranks", std::move(ranks)}};
    if (job.launcher != 0) {
      told["launcher"] = job.launcher;
    } else {
      told["name"] = job.name;
    }
    all.push_back(std::move(told));
  }
  const nlohmann::json document{{"host", host}, {"jobs", std::move(all)}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace bowline::launcher
