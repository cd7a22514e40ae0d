// SPDX-License-Identifier: BSD-3-Clause
// One rank in the timeline. What is too close together to be seen apart becomes one shape, so that a picture of many
// events stays small.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "launcher/flight/flight_words.hpp"
#include "launcher/flight/timeline_parts.hpp"
#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr double closest = 0.75;  // units between shapes that can be seen apart
constexpr double thinnest = 0.8;

std::string length_in_words(std::int64_t nanoseconds) {
  return seconds_in_words(static_cast<double>(nanoseconds) * 1e-9);
}

/// Where the bars of a kind lie in a row.
struct Band {
  const char* name;
  double top, height;
};

Band band_of(FlightSpan::Kind kind) {
  constexpr std::array<Band, 4> bands{{{"collective", 2, 8}, {"wait", 10, 6}, {"moved", 16, 3}, {"epoch", 20, 2}}};
  return bands[static_cast<std::size_t>(kind)];
}

/// Bars of one kind: those that touch become one.
class Bars {
 public:
  Bars(const TimelineFrame& frame, double top, Band band) : frame_(frame), top_(top), band_(band) {}

  void add(std::int64_t begin, std::int64_t end, std::string what) {
    const double from = frame_.x(begin), to = frame_.x(end);
    const bool is_small = to - from < closest;
    if (number_ > 0 && is_small && small_ && from - to_ < closest && from >= from_) {
      to_ = std::max(to_, to);
      time_ += end - begin;
      ++number_;
      return;
    }
    flush();
    from_ = from;
    to_ = to;
    time_ = end - begin;
    small_ = is_small;
    number_ = 1;
    what_ = std::move(what);
  }

  std::string result() {
    flush();
    return std::move(svg_);
  }

 private:
  void flush() {
    if (number_ == 0) return;
    const std::string title = number_ == 1 ? what_
                                           : fmt::format("{} close together, {} in all; the first: {}",
                                                         count_in_words(number_), length_in_words(time_), what_);
    svg_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title></rect>\n",
        band_.name, from_, top_ + band_.top, std::max(to_ - from_, thinnest), band_.height, escaped(title));
    number_ = 0;
  }

  const TimelineFrame& frame_;
  double top_;
  Band band_;
  double from_ = 0, to_ = 0;
  std::int64_t time_ = 0;
  bool small_ = false;
  std::uint64_t number_ = 0;
  std::string what_{}, svg_{};
};

/// A sign for events of some kinds; a path around its centre.
struct Sign {
  std::string_view event, name, path;
  double y;
};

constexpr std::array<Sign, 5> signs{{{"message_unexpected", "unexpected", "m-2.5 -2.5h5v5h-5z", 13},
                                     {"first_contact", "contact", "m0 -4l4 4l-4 4l-4 -4z", 12},
                                     {"file_access", "file", "m-3 -4l6 4l-6 4z", 12},
                                     {"port_down", "loss", "m-5 -5l10 10m0 -10l-10 10", 12},
                                     {"peer_lost", "loss", "m-5 -5l10 10m0 -10l-10 10", 12}}};

std::string sign_at(const Sign& sign, double x, double top, const std::string& title) {
  return fmt::format("<path class=\"sign {}\" d=\"M{:.1f} {:.1f}{}\"><title>{}</title></path>\n", sign.name, x,
                     top + sign.y, sign.path, escaped(title));
}

std::string signs_of(const Sign& sign, const TimelineFrame& frame, const RankStory& rank, double top) {
  std::string svg, first;
  std::optional<double> at;
  std::uint64_t number = 0;
  const auto flush = [&] {
    if (at)
      svg +=
          sign_at(sign, *at, top,
                  number == 1 ? first : fmt::format("{} close together; the first: {}", count_in_words(number), first));
  };
  for (const FlightEvent& event : rank.flight->events) {
    if (!event.is(sign.event) || !frame.shows(event.time)) continue;
    const double x = frame.x(event.time);
    if (at && x - *at < closest) {
      ++number;
      continue;
    }
    flush();
    at = x;
    number = 1;
    first = fmt::format("rank {}: {}, {}", rank.flight->rank, event_in_words(event), frame.from_zero(event.time));
  }
  flush();
  return svg;
}

std::string bars_of(FlightSpan::Kind kind, const FlightStory& story, const TimelineFrame& frame, const RankStory& rank,
                    double top) {
  Bars bars(frame, top, band_of(kind));
  for (const FlightSpan& span : rank.spans) {
    const std::int64_t end = span.end.value_or(rank.until);
    if (span.kind != kind || span.begin > frame.end || end < frame.begin) continue;
    bars.add(span.begin, end,
             fmt::format("rank {}: {}, {}{}, from {}", rank.flight->rank, span_in_words(span, story.job->ranks),
                         length_in_words(end - span.begin), span.end ? "" : " and more", frame.from_zero(span.begin)));
  }
  return bars.result();
}

/// How the rank ended: a sign in the picture, and a word beside it.
std::string end_of_row(const TimelineFrame& frame, const RankStory& rank, double top) {
  const bool is_lost = rank.lost, is_final = rank.flight->finalized.has_value();
  const char* const word = is_final ? "finalized" : is_lost ? "lost" : "runs";
  std::string svg = fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"start\">{}</text>\n",
                                is_lost ? "lost" : "ended", chart_width - TimelineFrame::right + 8, top + 16, word);
  const std::int64_t time = is_lost ? rank.until : rank.last;
  if ((!is_final && !is_lost) || !frame.shows(time)) return svg;
  const std::string title =
      fmt::format("rank {} {}, {}", rank.flight->rank, is_final ? "has finalized" : "ends here without MPI_Finalize",
                  frame.from_zero(time));
  return svg + fmt::format("<path class=\"end {}\" d=\"M{:.1f} {:.1f}v{:.1f}\"><title>{}</title></path>\n",
                           is_lost ? "lost" : "finalized", frame.x(time), top + 1, TimelineFrame::row - 2,
                           escaped(title));
}

}  // namespace

std::string timeline_row(const FlightStory& story, const TimelineFrame& frame, const RankStory& rank, double top) {
  const RankFlight& flight = *rank.flight;
  const std::int64_t from = flight.events.empty() ? rank.last : flight.events.front().time;
  std::string svg =
      fmt::format("<g><title>{}</title>",
                  escaped(fmt::format("rank {} on {}, process {}", flight.rank, flight.host, flight.process)));
  svg += picture_text(TimelineFrame::left - 8, top + 16, "end", fmt::format("rank {}", flight.rank)) + "</g>\n";
  if (from <= frame.end && rank.until >= frame.begin)
    svg += fmt::format("<path class=\"life\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", frame.x(from), top + 19,
                       frame.x(rank.until));
  using Kind = FlightSpan::Kind;
  for (const Kind kind : {Kind::epoch, Kind::collective, Kind::wait, Kind::transfer})
    svg += bars_of(kind, story, frame, rank, top);
  for (const Sign& sign : signs) svg += signs_of(sign, frame, rank, top);
  return svg + end_of_row(frame, rank, top);
}

}  // namespace bowline::launcher
