// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/flight/flight_spans.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace bowline::launcher {
namespace {

using Kind = FlightSpan::Kind;

struct PairOfEvents {
  Kind kind;
  std::string_view begin, end;
  std::array<std::string_view, 3> equal;  ///< the fields that both have in common; empty: no further one
};

constexpr std::array<PairOfEvents, 4> pairs{
    {{Kind::collective, "collective_begun", "collective_ended", {"context", "sequence", ""}},
     {Kind::wait, "wait_begun", "wait_ended", {"", "", ""}},
     {Kind::transfer, "rendezvous_begun", "rendezvous_ended", {"source", "tag", "context"}},
     {Kind::epoch, "epoch_begun", "epoch_ended", {"epoch", "target", "context"}}}};

/// What tells open spans of a kind from each other.
using Key = std::array<std::int64_t, 5>;

Key key_of(const PairOfEvents& pair, const FlightEvent& event) {
  Key key{static_cast<std::int64_t>(pair.kind), pair.kind == Kind::wait ? event.thread : 0};
  for (std::size_t i = 0; i < pair.equal.size(); ++i) key[i + 2] = event.number(pair.equal[i]).value_or(-1);
  return key;
}

class SpanMaker {
 public:
  void take(const FlightEvent& event) {
    if (event.is("algorithm_chosen")) return name_collective(event);
    for (const PairOfEvents& pair : pairs) {
      if (event.is(pair.begin)) return begin(pair, event);
      if (event.is(pair.end)) return end(pair, event);
    }
  }

  std::vector<FlightSpan> result() {
    std::ranges::stable_sort(spans_, {}, &FlightSpan::begin);
    return std::move(spans_);
  }

 private:
  void begin(const PairOfEvents& pair, const FlightEvent& event) {
    open_[key_of(pair, event)].push_back(spans_.size());
    spans_.push_back({.kind = pair.kind, .begin = event.time, .event = &event, .name = event.text("operation")});
  }

  void end(const PairOfEvents& pair, const FlightEvent& event) {
    const auto found = open_.find(key_of(pair, event));
    if (found != open_.end()) {
      // Of several equal ones, the one that began first; but a wait may lie within another one of its thread.
      const auto ended = pair.kind == Kind::wait ? found->second.end() - 1 : found->second.begin();
      spans_[*ended].end = event.time;
      found->second.erase(ended);
      if (found->second.empty()) open_.erase(found);
    } else if (pair.kind == Kind::wait) {
      const std::int64_t length = std::clamp<std::int64_t>(event.number("nanoseconds").value_or(0), 0, event.time);
      spans_.push_back({.kind = pair.kind, .begin = event.time - length, .end = event.time, .event = &event});
    }
  }

  void name_collective(const FlightEvent& event) {
    const auto found = open_.find(key_of(pairs.front(), event));
    if (found != open_.end()) spans_[found->second.back()].name = event.text("algorithm");
  }

  std::vector<FlightSpan> spans_;
  std::map<Key, std::vector<std::size_t>> open_;  ///< places in spans_
};

}  // namespace

std::vector<FlightSpan> spans_of(const RankFlight& flight) {
  SpanMaker maker;
  for (const FlightEvent& event : flight.events) maker.take(event);
  return maker.result();
}

bool belongs_to_span(const FlightEvent& event) {
  return std::ranges::any_of(pairs,
                             [&event](const PairOfEvents& pair) { return event.is(pair.begin) || event.is(pair.end); });
}

}  // namespace bowline::launcher
