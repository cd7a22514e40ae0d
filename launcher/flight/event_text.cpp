// SPDX-License-Identifier: BSD-3-Clause
// The recording as text: a line for each event of the last moments.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/flight/flight_output.hpp"
#include "launcher/flight/flight_words.hpp"

namespace bowline::launcher {
namespace {

struct EventLine {
  std::int64_t time;
  const RankStory* rank;
  const FlightEvent* event;  ///< nullptr: the end of the rank
};

std::string end_in_words(const RankStory& rank) {
  return rank.flight->finalized ? "finalized" : "has no later event: it ended without MPI_Finalize";
}

std::vector<EventLine> lines_of(const FlightStory& story) {
  std::vector<EventLine> lines;
  const auto add = [&](const EventLine& line) {
    if (line.time >= story.begin && line.time <= story.end) lines.push_back(line);
  };
  for (const RankStory& rank : story.ranks) {
    for (const FlightEvent& event : rank.flight->events) add({event.time, &rank, &event});
    if (rank.flight->finalized || rank.lost) add({rank.last, &rank, nullptr});
  }
  std::ranges::stable_sort(lines, {}, &EventLine::time);
  return lines;
}

}  // namespace

std::string to_event_text(const FlightStory& story) {
  std::string text;
  for (const std::string& sentence : story_in_words(story)) text += sentence + '\n';
  text += '\n';
  for (const EventLine& line : lines_of(story))
    text += fmt::format("{} rank {} {}\n", clock_in_words(line.time), line.rank->flight->rank,
                        line.event != nullptr ? event_in_words(*line.event) : end_in_words(*line.rank));
  return text;
}

}  // namespace bowline::launcher
