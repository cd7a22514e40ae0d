// SPDX-License-Identifier: BSD-3-Clause
// The picture of a timeline, and how it looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/flight/flight_story.hpp"

namespace bowline::launcher {

inline constexpr std::size_t most_timeline_rows = 64;

/// From the times of a story to the places of its picture.
struct TimelineFrame {
  static constexpr double left = 84, right = 84, row = 24, below = 44;

  std::int64_t begin = 0, end = 0;  ///< what is shown
  std::int64_t zero = 0;            ///< of the axis: the last event of the rank that ended first, or the last of all
  std::vector<std::size_t> rows{};  ///< places of ranks in the story

  double height() const { return row * static_cast<double>(rows.size()); }
  double x(std::int64_t time) const;  ///< of a time outside of what is shown: at the border
  bool shows(std::int64_t time) const { return time >= begin && time <= end; }
  std::string from_zero(std::int64_t time) const;  ///< "12.3 ms before 0"
};

TimelineFrame frame_of(const FlightStory& story);

/// The picture's content: rows, axis and marks. Its height: that of the rows, and `below`.
std::string timeline_content(const FlightStory& story, const TimelineFrame& frame);

/// The bars and marks of one rank; `top`: of its row.
std::string timeline_row(const FlightStory& story, const TimelineFrame& frame, const RankStory& rank, double top);

/// For readers of the screen.
std::string timeline_description(const FlightStory& story);

std::string_view timeline_style();

/// What the colours and signs mean, as pairs of a class and a text.
std::vector<std::pair<std::string_view, std::string_view>> timeline_legend();

}  // namespace bowline::launcher
