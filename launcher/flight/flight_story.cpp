// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/flight/flight_story.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace bowline::launcher {
namespace {

constexpr double nanoseconds = 1e9, default_last = 1, most_last = 1e9;
constexpr std::int64_t shortest = 1000;  // of what is shown, in nanoseconds

struct Notice {
  std::int64_t time;
  int by;
};

/// When others noticed first that a rank was lost, by that rank.
std::map<int, Notice> notices_of(const JobFlight& job) {
  std::map<int, Notice> notices;
  for (const RankFlight& rank : job.recorded) {
    for (const FlightEvent& event : rank.events) {
      if (!event.is("peer_lost")) continue;
      const auto lost = event.number("process").value_or(-1);
      if (lost < 0 || lost >= job.ranks) continue;
      const auto [found, is_new] = notices.try_emplace(static_cast<int>(lost), Notice{event.time, rank.rank});
      if (!is_new && event.time < found->second.time) found->second = {event.time, rank.rank};
    }
  }
  return notices;
}

const FlightSpan* last_open(const RankStory& rank, FlightSpan::Kind kind, std::int64_t moment) {
  const FlightSpan* found = nullptr;
  for (const FlightSpan& span : rank.spans)
    if (span.kind == kind && span.covers(moment)) found = &span;
  return found;
}

int waited_for_by(const FlightSpan& wait) {
  const std::int64_t process = wait.event->number("process").value_or(-1);
  return process >= 0 && process <= std::numeric_limits<int>::max() ? static_cast<int>(process) : -1;
}

/// How many ranks wait for each when their recordings end.
std::map<int, int> waited_for_at_end(const FlightStory& story) {
  std::map<int, int> times;
  for (const RankStory& rank : story.ranks) {
    if (rank.flight->finalized) continue;
    if (const FlightSpan* wait = last_open(rank, FlightSpan::Kind::wait, rank.last)) ++times[waited_for_by(*wait)];
  }
  return times;
}

/// The lost rank that the launcher names, or else the one whose end was noticed first by another rank. If nobody
/// noticed any, the one that most others wait for; a rank that waits itself is less likely to be the first one.
void find_first(FlightStory& story, const std::map<int, Notice>& notices, const std::optional<FirstLoss>& known) {
  const std::map<int, int> waited_for = waited_for_at_end(story);
  const auto rank_of = [&](std::size_t place) {
    const RankStory& rank = story.ranks[place];
    const auto notice = notices.find(rank.flight->rank);
    const auto times = waited_for.find(rank.flight->rank);
    const bool waits = last_open(rank, FlightSpan::Kind::wait, rank.last) != nullptr;
    const bool is_other = !known || known->rank != rank.flight->rank;
    return std::tuple(is_other,
                      notice == notices.end() ? std::numeric_limits<std::int64_t>::max() : notice->second.time, waits,
                      times == waited_for.end() ? 0 : -times->second, rank.last);
  };
  for (std::size_t place = 0; place < story.ranks.size(); ++place) {
    RankStory& rank = story.ranks[place];
    rank.lost = !rank.flight->finalized && (!story.running || notices.contains(rank.flight->rank));
    if (!rank.lost) continue;
    story.lost.push_back(story.ranks[place].flight->rank);
    if (!story.first || rank_of(place) < rank_of(*story.first)) story.first = place;
  }
  if (!story.first) return;
  const int first = story.first_rank()->flight->rank;
  const auto notice = notices.find(first);
  const bool is_known = known && known->rank == first;
  if (is_known) story.cause = known->sentence;
  story.first_is_certain = is_known || notice != notices.end() || story.lost.size() == 1;
  if (notice == notices.end()) return;
  story.noticed_by = notice->second.by;
  story.noticed = notice->second.time;
}

/// A lost rank lived at least until its last event; one that waited, until others noticed its end, or to the last
/// moment of the job.
void find_ends(FlightStory& story, const std::map<int, Notice>& notices, std::int64_t job_end) {
  for (std::size_t place = 0; place < story.ranks.size(); ++place) {
    RankStory& rank = story.ranks[place];
    const auto notice = notices.find(rank.flight->rank);
    const bool waits = last_open(rank, FlightSpan::Kind::wait, rank.last) != nullptr;
    rank.until = rank.last;
    if (rank.flight->finalized) continue;
    if (!rank.lost || (waits && notice == notices.end() && place != story.first)) rank.until = job_end;
    if (notice != notices.end()) rank.until = std::max(rank.last, notice->second.time);
  }
}

/// Of a collective call in which a rank waits for several: whether the rank that ended first keeps it from completing.
void look_at_first(const FlightStory& story, const FlightSpan& call, WaitingRank& waiting) {
  const RankStory* const first = story.first_rank();
  if (first == nullptr) return;
  const auto context = call.event->number("context"), sequence = call.event->number("sequence");
  bool is_member = false, has_completed = false;
  for (const FlightSpan& own : first->spans) {
    if (own.kind != FlightSpan::Kind::collective || own.event->number("context") != context) continue;
    is_member = true;
    const auto number = own.event->number("sequence");
    if (number > sequence) has_completed = true;  // this call may have been overwritten in the recording
    if (number != sequence) continue;
    waiting.first_had_begun = true;
    has_completed = own.end.has_value();
  }
  waiting.for_first = is_member && !has_completed;
}

void find_waiting(FlightStory& story) {
  for (const RankStory& rank : story.ranks) {
    if (&rank == story.first_rank() || rank.until < story.moment) continue;
    const FlightSpan* const wait = last_open(rank, FlightSpan::Kind::wait, story.moment);
    if (wait == nullptr) continue;
    WaitingRank& waiting = story.waiting.emplace_back(
        WaitingRank{.rank = rank.flight->rank, .peer = waited_for_by(*wait), .since = wait->begin});
    if (const FlightSpan* call = last_open(rank, FlightSpan::Kind::collective, story.moment)) {
      waiting.operation = call->name;
      if (waiting.peer < 0) look_at_first(story, *call, waiting);
    }
  }
}

/// From some time before the last event of the rank that ended first, to as long after it, or until others noticed.
void find_window(FlightStory& story, const FlightOptions& options, std::int64_t job_end) {
  const double last = std::clamp(options.last.value_or(default_last), 0.0, most_last);
  const auto length = std::max(static_cast<std::int64_t>(std::llround(last * nanoseconds)), shortest);
  std::int64_t centre = 0;
  for (const RankStory& rank : story.ranks) centre = std::max(centre, rank.last);
  if (story.first && !story.running) centre = story.first_rank()->last;
  std::int64_t earliest = centre;
  for (const RankStory& rank : story.ranks) {
    if (!rank.flight->events.empty()) earliest = std::min(earliest, rank.flight->events.front().time);
  }
  story.begin = std::max(centre - length, std::min(earliest, centre));
  const std::int64_t after_notice = story.noticed_by && !story.running ? story.noticed + length / 4 : centre;
  story.end = std::max(std::min(job_end, std::max(centre + length, after_notice)), story.begin + shortest);
}

void find_missing(const JobFlight& job, FlightStory& story) {
  auto recorded = job.recorded.begin();
  for (int rank = 0; rank < job.ranks; ++rank) {
    if (recorded != job.recorded.end() && recorded->rank == rank)
      ++recorded;
    else
      story.missing.push_back(rank);
  }
}

}  // namespace

FlightStory story_of(const JobFlight& job, const FlightOptions& options) {
  FlightStory story{.job = &job, .running = options.running};
  std::int64_t job_end = 0;
  for (const RankFlight& flight : job.recorded) {
    RankStory& rank = story.ranks.emplace_back(RankStory{.flight = &flight, .spans = spans_of(flight)});
    rank.last = std::max(flight.events.empty() ? 0 : flight.events.back().time, flight.finalized.value_or(0));
    job_end = std::max(job_end, rank.last);
  }
  if (options.running) job_end = std::max(job_end, job.read_at);
  const std::map<int, Notice> notices = notices_of(job);
  find_missing(job, story);
  find_first(story, notices, options.first_loss);
  find_ends(story, notices, job_end);
  story.moment = story.noticed_by && !story.running ? story.noticed - 1 : job_end;
  find_waiting(story);
  find_window(story, options, job_end);
  return story;
}

std::vector<std::size_t> telling_ranks(const FlightStory& story, std::size_t most) {
  std::map<int, int> waited_for;
  for (const WaitingRank& waiting : story.waiting) ++waited_for[waiting.peer];
  const auto order = [&](std::size_t place) {
    const RankStory& rank = story.ranks[place];
    const auto times = waited_for.find(rank.flight->rank);
    return std::tuple(story.first != place, times == waited_for.end() ? 0 : -times->second, !rank.lost,
                      rank.flight->rank);
  };
  std::vector<std::size_t> places(story.ranks.size());
  for (std::size_t place = 0; place < places.size(); ++place) places[place] = place;
  std::ranges::sort(places, {}, order);
  if (places.size() > most) places.resize(most);
  std::ranges::sort(places);
  return places;
}

}  // namespace bowline::launcher
