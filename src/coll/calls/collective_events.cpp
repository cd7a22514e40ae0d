// SPDX-License-Identifier: BSD-3-Clause
#include "coll/calls/collective_events.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coll/calls/team_channel.hpp"
#include "coll/selection/selection.hpp"

namespace bowline::coll {
namespace {

constexpr auto every_operation = [] {
  std::array<Operation, operations> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Operation>(i);
  return all;
}();

std::span<const std::string_view> operation_words() {
  static const auto words = [] {
    std::array<std::string_view, operations> all;
    std::ranges::transform(every_operation, all.begin(), [](Operation each) { return name_of(each); });
    return all;
  }();
  return words;
}

/// "bcast/binomial" and so on, as the tunable `collectives` names them, for all operations one after the other.
std::span<const std::string_view> algorithm_words() {
  static const auto words = [] {
    std::vector<std::string> all;
    for (const Operation operation : every_operation) {
      for (const Algorithm& each : algorithms(operation))
        all.push_back(std::string(name_of(operation)).append("/").append(each.name));
    }
    return all;
  }();
  static const std::vector<std::string_view> views(words.begin(), words.end());
  return views;
}

/// The algorithm's place among algorithm_words().
std::size_t index_of(Operation operation, const Algorithm& algorithm) noexcept {
  static const auto first = [] {
    std::array<std::size_t, operations> places{};
    for (std::size_t i = 1; i < places.size(); ++i)
      places[i] = places[i - 1] + algorithms(every_operation[i - 1]).size();
    return places;
  }();
  return first[static_cast<std::size_t>(operation)] +
         static_cast<std::size_t>(&algorithm - algorithms(operation).data());
}

std::vector<Event<CollectiveEvent>::Field> call_fields() {
  return {{"operation", &CollectiveEvent::operation, "what the members do", operation_words()},
          {"context", &CollectiveEvent::context, "the communicator's number in messages of collectives"},
          {"sequence", &CollectiveEvent::sequence,
           "the number of the call, the same in all members; non-blocking calls count from 2^29 on, persistent ones "
           "from 2^30"},
          {"bytes", &CollectiveEvent::bytes, "of this member's part; 0 if members may give different lengths"}};
}

/// Tells the end of a call when it ends, also if it fails or is given up.
class CallEnd {
 public:
  explicit CallEnd(const CollectiveEvent& call) noexcept : call_(call) {}
  CallEnd(const CallEnd&) = delete;
  CallEnd& operator=(const CallEnd&) = delete;
  ~CallEnd() {
    if (collective_ended.heard()) collective_ended.tell(call_);
  }

 private:
  CollectiveEvent call_;
};

Task run_to_end(CollectiveEvent call, Task task) {
  const CallEnd end(call);
  co_await task;
}

}  // namespace

Event<CollectiveEvent> collective_begun(collective_events, Category::collectives, "collective_begun",
                                        "this process has begun a collective call", call_fields());
Event<CollectiveEvent> collective_ended(collective_events, Category::collectives, "collective_ended",
                                        "a collective call is completed in this process, or has failed", call_fields());
Event<AlgorithmEvent> algorithm_chosen(
    collective_events, Category::collectives, "algorithm_chosen", "an algorithm serves a collective call",
    {{"algorithm", &AlgorithmEvent::algorithm, "the operation and the algorithm", algorithm_words()},
     {"context", &AlgorithmEvent::context, "the communicator's number in messages of collectives"},
     {"sequence", &AlgorithmEvent::sequence, "the number of the call, as in collective_begun"}});

ToldCall::ToldCall(const TeamChannel& channel, Operation operation, const Arguments& arguments) noexcept
    : call_{.context = channel.team().context,
            .sequence = static_cast<std::uint64_t>(channel.tag()),
            .bytes = bytes_of(operation, arguments, channel.size()),
            .operation = static_cast<std::int32_t>(operation)} {
  if (collective_begun.heard()) collective_begun.tell(call_);
}

Task ToldCall::until_end(Task task) const {
  return collective_ended.heard() ? run_to_end(call_, std::move(task)) : std::move(task);
}

void tell_algorithm(const TeamChannel& channel, Operation operation, const Algorithm& algorithm) noexcept {
  if (!algorithm_chosen.heard()) return;
  algorithm_chosen.tell({.context = channel.team().context,
                         .sequence = static_cast<std::uint64_t>(channel.tag()),
                         .algorithm = static_cast<std::int32_t>(index_of(operation, algorithm))});
}

}  // namespace bowline::coll
