// SPDX-License-Identifier: BSD-3-Clause
// The recording as a document in the Trace Event Format ("Trace Event Format", the document of Chromium's catapult
// project), which Perfetto and chrome://tracing read: a process for each rank, a track for each of its threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "launcher/flight/flight_output.hpp"
#include "launcher/flight/flight_words.hpp"

namespace bowline::launcher {
namespace {

using Json = nlohmann::json;

constexpr double nanoseconds_per_unit = 1000;               // times are in microseconds
constexpr std::int64_t most_exact = std::int64_t{1} << 53;  // readers of JSON round larger numbers
constexpr std::uint32_t first_further_track = 1000000000;   // larger than any number of a thread

/// On one track a span must lie within another one or beside it: Perfetto leaves out those that overlap it in part.
class Tracks {
 public:
  /// The spans must come in the order of their beginnings. Returns the track.
  std::uint32_t place(std::uint32_t thread, std::int64_t begin, std::int64_t end) {
    for (std::uint32_t track = thread;; track = track == thread ? first_further_track : track + 1) {
      if (!fits(ends_[track], begin, end)) continue;
      ends_[track].push_back(end);
      return track;
    }
  }

 private:
  /// `ends`: of spans within each other, the innermost one last.
  static bool fits(std::vector<std::int64_t>& ends, std::int64_t begin, std::int64_t end) {
    while (!ends.empty() && ends.back() <= begin) ends.pop_back();
    return ends.empty() || end <= ends.back();
  }

  std::map<std::uint32_t, std::vector<std::int64_t>> ends_;
};

/// The track of its thread, whatever a damaged file says.
std::uint32_t track_of(const FlightEvent& event) {
  return std::min(event.thread, first_further_track - 1);
}

Json arguments_of(const FlightEvent& event) {
  Json arguments = Json::object();
  for (const FlightField& field : event.kind->fields) {
    const std::int64_t number = event.number(field.name).value_or(0);
    if (!field.words.empty() || number > most_exact)
      arguments[field.name] = event.text(field);
    else
      arguments[field.name] = number;
  }
  return arguments;
}

const char* category_of(FlightSpan::Kind kind) {
  constexpr std::array<const char*, 4> names{"collective", "wait", "transfer", "epoch"};
  return names[static_cast<std::size_t>(kind)];
}

class TraceWriter {
 public:
  explicit TraceWriter(const FlightStory& story) : story_(story), zero_(story.begin) {
    for (const RankStory& rank : story.ranks)
      for (const FlightSpan& span : rank.spans)
        if (is_shown(rank, span)) zero_ = std::min(zero_, span.begin);
  }

  std::string document() {
    for (const RankStory& rank : story_.ranks) add_rank(rank);
    const Json facts{{"begin", clock_in_words(zero_)}, {"story", story_in_words(story_)}};
    return "{\"traceEvents\":[\n" + events_ + "\n],\"displayTimeUnit\":\"ms\",\"otherData\":" + text_of(facts) + "}\n";
  }

 private:
  static std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  bool is_shown(const RankStory& rank, const FlightSpan& span) const {
    return span.begin <= story_.end && span.end.value_or(rank.until) >= story_.begin;
  }

  double units(std::int64_t time) const { return static_cast<double>(time - zero_) / nanoseconds_per_unit; }

  void add(const Json& event) { events_ += (events_.empty() ? "" : ",\n") + text_of(event); }

  void add_name(const char* what, int rank, std::uint32_t track, const std::string& name) {
    add({{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", track}, {"args", {{"name", name}}}});
  }

  void add_rank(const RankStory& rank) {
    const int number = rank.flight->rank;
    add_name("process_name", number, 0, fmt::format("rank {} on {}", number, rank.flight->host));
    add({{"name", "process_sort_index"}, {"ph", "M"}, {"pid", number}, {"args", {{"sort_index", number}}}});
    std::set<std::uint32_t> named;
    add_spans(rank, named);
    for (const FlightEvent& event : rank.flight->events) {
      if (belongs_to_span(event) || event.time < story_.begin || event.time > story_.end) continue;
      named.insert(track_of(event));
      add({{"name", event.kind->name},
           {"cat", event.is("peer_lost") ? "loss" : "event"},
           {"ph", "i"},
           {"s", "t"},
           {"ts", units(event.time)},
           {"pid", number},
           {"tid", track_of(event)},
           {"args", arguments_of(event)}});
    }
    add_end(rank);
    for (const std::uint32_t track : named)
      add_name("thread_name", number, track,
               track < first_further_track ? fmt::format("thread {}", track)
                                           : fmt::format("overlapping {}", track - first_further_track + 1));
  }

  void add_spans(const RankStory& rank, std::set<std::uint32_t>& named) {
    Tracks tracks;
    for (const FlightSpan& span : rank.spans) {
      if (!is_shown(rank, span)) continue;
      const std::int64_t end = std::max(span.end.value_or(rank.until), span.begin);
      const std::uint32_t track = tracks.place(track_of(*span.event), span.begin, end);
      named.insert(track);
      Json arguments = arguments_of(*span.event);
      if (!span.end) arguments["unfinished"] = true;
      add({{"name", name_of(span)},
           {"cat", category_of(span.kind)},
           {"ph", "X"},
           {"ts", units(span.begin)},
           {"dur", static_cast<double>(end - span.begin) / nanoseconds_per_unit},
           {"pid", rank.flight->rank},
           {"tid", track},
           {"args", std::move(arguments)}});
    }
  }

  std::string name_of(const FlightSpan& span) const {
    return span.kind == FlightSpan::Kind::collective ? span.name : span_in_words(span, story_.job->ranks);
  }

  void add_end(const RankStory& rank) {
    if (rank.last < story_.begin || rank.last > story_.end) return;
    if (!rank.flight->finalized && !rank.lost) return;
    add({{"name", rank.flight->finalized ? "finalized" : "no later event: ended without MPI_Finalize"},
         {"cat", "end"},
         {"ph", "i"},
         {"s", "p"},
         {"ts", units(rank.last)},
         {"pid", rank.flight->rank},
         {"tid", 0},
         {"args", Json::object()}});
  }

  const FlightStory& story_;
  std::int64_t zero_;
  std::string events_{};
};

}  // namespace

std::string to_trace(const FlightStory& story) {
  return TraceWriter(story).document();
}

}  // namespace bowline::launcher
