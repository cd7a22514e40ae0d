// SPDX-License-Identifier: BSD-3-Clause
// The sections of a report's page, each as HTML; empty if there is nothing to show.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/report/job_report.hpp"
#include "launcher/report/job_totals.hpp"

namespace bowline::launcher {

inline constexpr double chart_width = 760;  ///< of all pictures, in units of their coordinates

/// For text and for values of attributes.
std::string escaped(std::string_view text);

/// Opens an SVG element of the chart's width. `description`: its alternative text.
std::string open_picture(double height, std::string_view description);
inline constexpr std::string_view close_picture = "</svg></div>\n";

/// `at`: "start", "middle" or "end".
std::string picture_text(double x, double y, std::string_view at, std::string_view text);

/// The colours of computing, moving data and waiting. `others`: further ones, as HTML.
std::string legend_of_times(std::string_view others);

/// A line of an axis, and what is written there.
struct AxisMark {
  double value;
  std::string text;
};

/// From 0 to at most `most`, few enough to be read.
std::vector<AxisMark> time_axis(double most);
std::vector<AxisMark> memory_axis(double most);
std::vector<AxisMark> rank_axis(int ranks);

std::string_view page_style();
std::string ranks_section(const JobReport& report);
std::string sites_section(const JobReport& report, const JobTotals& totals);
std::string traffic_section(const JobReport& report);
std::string sizes_section(const JobReport& report);
std::string adapters_section(const JobReport& report);
std::string collectives_section(const JobReport& report);
std::string files_section(const JobReport& report);
std::string memory_section(const JobReport& report);
std::string counters_section(const JobReport& report);

}  // namespace bowline::launcher
