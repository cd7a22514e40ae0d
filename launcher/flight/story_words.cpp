// SPDX-License-Identifier: BSD-3-Clause
// The end of a job in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "launcher/flight/flight_story.hpp"
#include "launcher/flight/flight_words.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

double seconds_of(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

std::string ranks_named(std::span<const int> ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranks_in_words(ranks);
}

std::string with_capital(std::string sentence) {
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] -= 'a' - 'A';
  return sentence;
}

/// What the rank did at its end: ", in allreduce (slots), waiting for rank 2".
std::string state_of(const RankStory& rank, int ranks) {
  const FlightSpan *call = nullptr, *wait = nullptr;
  for (const FlightSpan& span : rank.spans) {
    if (span.end) continue;
    if (span.kind == FlightSpan::Kind::collective) call = &span;
    if (span.kind == FlightSpan::Kind::wait) wait = &span;
  }
  std::string words;
  if (call != nullptr) words += ", in " + collective_in_words(call->name);
  if (wait != nullptr) words += ", waiting for " + process_in_words(wait->event->number("process").value_or(-1), ranks);
  return words;
}

/// " in allreduce (slots)" if all of them wait there.
std::string common_operation(std::span<const WaitingRank> waiting) {
  std::set<std::string> operations;
  for (const WaitingRank& each : waiting) operations.insert(each.operation);
  if (operations.size() != 1 || operations.begin()->empty()) return "";
  return " in " + collective_in_words(*operations.begin());
}

std::string number_of_ranks(std::size_t number) {
  return counted(number, "rank", "ranks");
}

/// "7 ranks waited for it in allreduce (slots)".
std::string waits_for_first(const FlightStory& story) {
  std::vector<WaitingRank> direct, by_call;
  for (const WaitingRank& each : story.waiting) {
    if (each.peer == story.first_rank()->flight->rank) direct.push_back(each);
    if (each.for_first) by_call.push_back(each);
  }
  std::string words;
  if (!direct.empty()) words = number_of_ranks(direct.size()) + " waited for it" + common_operation(direct);
  if (by_call.empty()) return direct.empty() ? "no rank waited for it" : words;
  const bool had_begun = std::ranges::any_of(by_call, &WaitingRank::first_had_begun);
  const std::string operation = common_operation(by_call);
  return words + (words.empty() ? "" : ", and ") + number_of_ranks(by_call.size()) + " waited" +
         (operation.empty() ? " in collective calls" : operation) +
         (had_begun ? ", which it had not completed" : ", which it had not begun");
}

std::string end_of_first(const FlightStory& story) {
  const RankStory& first = *story.first_rank();
  std::string words = fmt::format("Rank {} ended without MPI_Finalize", first.flight->rank);
  if (first.flight->events.empty()) return words + ", and has no event; " + waits_for_first(story) + ".";
  words += story.noticed_by
               ? fmt::format(", at most {} after its last event",
                             seconds_in_words(seconds_of(std::max<std::int64_t>(0, story.noticed - first.last))))
               : ", some time after its last event";
  words += fmt::format(" ({}){}; {}.", first.flight->events.back().kind->name, state_of(first, story.job->ranks),
                       waits_for_first(story));
  return words;
}

/// "7 ranks wait for rank 3 in allreduce (slots), the longest for 12 s", of the rank that most wait for.
std::string most_waited_for(const FlightStory& story) {
  std::map<int, std::vector<WaitingRank>> by_peer;
  for (const WaitingRank& each : story.waiting) by_peer[each.peer].push_back(each);
  if (by_peer.empty()) return "no rank waits";
  const auto& [peer, waiting] = *std::ranges::max_element(
      by_peer, {}, [](const auto& each) { return std::pair(each.first >= 0, each.second.size()); });
  const std::int64_t since = std::ranges::min(waiting, {}, &WaitingRank::since).since;
  return fmt::format("{} {} for {}{}, the longest for {}", number_of_ranks(waiting.size()),
                     waiting.size() == 1 ? "waits" : "wait", process_in_words(peer, story.job->ranks),
                     common_operation(waiting), seconds_in_words(seconds_of(story.moment - since)));
}

std::string proper_end(const FlightStory& story) {
  const std::size_t known = story.ranks.size();
  if (known == 1) return fmt::format("Rank {} ended with MPI_Finalize.", story.ranks.front().flight->rank);
  const RankStory& last = *std::ranges::max_element(story.ranks, {}, &RankStory::last);
  return fmt::format("All {} ended with MPI_Finalize; the last one was rank {}.", number_of_ranks(known),
                     last.flight->rank);
}

}  // namespace

std::string process_in_words(std::int64_t process, int ranks) {
  if (process < 0) return "several ranks or any";
  return process < ranks ? fmt::format("rank {}", process) : fmt::format("process {} of another job", process);
}

std::string collective_in_words(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return name.empty() ? "a collective call" : name;
  return fmt::format("{} ({})", name.substr(0, slash), name.substr(slash + 1));
}

std::vector<std::string> story_in_words(const FlightStory& story) {
  std::vector<std::string> sentences;
  if (story.running)
    sentences.push_back("The job runs; " + most_waited_for(story) + ".");
  else
    sentences.push_back(story.first ? end_of_first(story) : proper_end(story));
  if (!story.cause.empty()) sentences.push_back(with_capital(story.cause) + ".");
  if (story.running && !story.lost.empty())
    sentences.push_back(with_capital(ranks_named(story.lost)) + (story.lost.size() == 1 ? " is" : " are") + " lost.");
  std::vector<int> others = story.running ? std::vector<int>() : story.lost;
  if (story.first) std::erase(others, story.first_rank()->flight->rank);
  if (!others.empty()) {
    std::string words = with_capital(ranks_named(others)) + " ended without MPI_Finalize, too";
    if (!story.first_is_certain) words += "; which of these ranks ended first is a guess, because no rank noticed";
    sentences.push_back(words + ".");
  }
  if (!story.missing.empty())
    sentences.push_back(with_capital(ranks_named(story.missing)) + (story.missing.size() == 1 ? " has" : " have") +
                        " no recording.");
  return sentences;
}

}  // namespace bowline::launcher
