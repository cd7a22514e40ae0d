// SPDX-License-Identifier: BSD-3-Clause
// The timeline of a job's end: a row for each rank, the time from left to right.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "launcher/flight/flight_output.hpp"
#include "launcher/flight/timeline_parts.hpp"
#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr double nanoseconds = 1e-9;

double seconds_between(std::int64_t from, std::int64_t to) {
  return static_cast<double>(to - from) * nanoseconds;
}

/// Seconds between two marks, so that there are at most six: 1, 2 or 5 times a power of ten.
double step_of(double whole) {
  constexpr double most_marks = 6;
  const double magnitude = std::pow(10, std::floor(std::log10(whole / most_marks)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (whole / (factor * magnitude) <= most_marks) return factor * magnitude;
  }
  return 10 * magnitude;
}

std::string mark_text(double seconds, double step) {
  constexpr double milli = 1e-3, micro = 1e-6;
  const bool in_seconds = step >= 0.1, in_milli = step >= milli / 10;
  const double unit = in_seconds ? 1 : in_milli ? milli : micro;
  const double number = std::round(seconds / unit * 1000) / 1000;
  return fmt::format("{:g} {}", number == 0 ? 0 : number, in_seconds ? "s" : in_milli ? "ms" : "µs");
}

std::string axis_of(const TimelineFrame& frame) {
  const double first = seconds_between(frame.zero, frame.begin), last = seconds_between(frame.zero, frame.end);
  const double step = step_of(last - first);
  std::string svg;
  for (double mark = std::ceil(first / step - 1e-6); mark * step <= last + step * 1e-6; ++mark) {
    const double x = frame.x(frame.zero + std::llround(mark * step / nanoseconds));
    svg += fmt::format("<path class=\"{}\" d=\"M{:.1f} 0V{:.1f}\"/>\n", mark == 0 ? "zero" : "grid", x,
                       frame.height() + 4);
    svg += picture_text(x, frame.height() + 18, "middle", mark_text(mark * step, step));
  }
  return svg;
}

std::string zero_in_words(const FlightStory& story) {
  return story.first && !story.running
             ? fmt::format("time from the last event of rank {}", story.first_rank()->flight->rank)
             : "time from the last event";
}

/// In two lines at most.
std::string sentence_in_lines(const std::string& sentence) {
  constexpr std::size_t most = 112;
  const std::size_t space = sentence.size() <= most ? std::string::npos : sentence.rfind(' ', most);
  const std::string first = shortened(sentence.substr(0, space), most);
  std::string svg = picture_text(8, 17, "start", first);
  if (space != std::string::npos) svg += picture_text(8, 34, "start", shortened(sentence.substr(space + 1), most));
  return svg;
}

}  // namespace

double TimelineFrame::x(std::int64_t time) const {
  const double share = static_cast<double>(std::clamp(time, begin, end) - begin) / static_cast<double>(end - begin);
  return left + (chart_width - left - right) * share;
}

std::string TimelineFrame::from_zero(std::int64_t time) const {
  if (time == zero) return "at 0";
  return seconds_in_words(std::abs(seconds_between(zero, time))) + (time < zero ? " before 0" : " after 0");
}

TimelineFrame frame_of(const FlightStory& story) {
  TimelineFrame frame{.begin = story.begin, .end = story.end, .rows = telling_ranks(story, most_timeline_rows)};
  for (const RankStory& rank : story.ranks) frame.zero = std::max(frame.zero, rank.last);
  if (story.first && !story.running) frame.zero = story.first_rank()->last;
  const std::int64_t room = std::max<std::int64_t>((frame.end - frame.begin) / 50, 1);  // for signs at the borders
  frame.begin -= room;
  frame.end += room;
  return frame;
}

std::string timeline_content(const FlightStory& story, const TimelineFrame& frame) {
  std::string svg = axis_of(frame);
  for (std::size_t i = 0; i < frame.rows.size(); ++i)
    svg += timeline_row(story, frame, story.ranks[frame.rows[i]], TimelineFrame::row * static_cast<double>(i));
  const double middle = (TimelineFrame::left + chart_width - TimelineFrame::right) / 2;
  return svg + picture_text(middle, frame.height() + 37, "middle", zero_in_words(story));
}

std::string timeline_description(const FlightStory& story) {
  return fmt::format("The last {} of the recordings. {}", seconds_in_words(seconds_between(story.begin, story.end)),
                     story_in_words(story).front());
}

std::vector<std::pair<std::string_view, std::string_view>> timeline_legend() {
  return {{"collective", "collective call"},
          {"wait", "waiting"},
          {"moved", "transfer of a long message"},
          {"epoch", "epoch of a window"},
          {"unexpected", "unexpected message"},
          {"contact", "first contact"},
          {"file", "access to a file"},
          {"loss", "a process or port is lost"},
          {"lost", "end without MPI_Finalize"},
          {"finalized", "MPI_Finalize"}};
}

std::string to_timeline_svg(const FlightStory& story) {
  constexpr double head = 46, legend_row = 20, swatch = 170;
  constexpr std::size_t per_row = 4;
  const TimelineFrame frame = frame_of(story);
  const auto legend = timeline_legend();
  const double rows = static_cast<double>((legend.size() + per_row - 1) / per_row);
  const double height = head + frame.height() + TimelineFrame::below + legend_row * rows + 10;
  const std::string description = escaped(timeline_description(story));
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\" aria-label=\"{2}\"><title>{2}</title>\n<style>{3}{4}</style>\n"
      "<rect class=\"backdrop\" x=\"0\" y=\"0\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n",
      chart_width, height, description, page_style(), timeline_style());
  svg += sentence_in_lines(story_in_words(story).front());
  svg += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}", head, timeline_content(story, frame));
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const double x = 12 + (swatch + 16) * static_cast<double>(i % per_row);
    const double y = frame.height() + TimelineFrame::below + legend_row * static_cast<double>(i / per_row);
    svg += fmt::format("<rect class=\"key-{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\"/>\n",
                       legend[i].first, x, y);
    svg += picture_text(x + 16, y + 10, "start", legend[i].second);
  }
  return svg + "</g></svg>\n";
}

}  // namespace bowline::launcher
