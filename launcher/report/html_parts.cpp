// SPDX-License-Identifier: BSD-3-Clause
// What several sections of the page need.
#include "launcher/report/html_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

/// "5 s" for "5.00 s".
std::string on_axis(std::string words) {
  const std::size_t point = words.find('.'), end = words.find(' ');
  if (point > end || point == std::string::npos) return words;
  const std::size_t last = words.find_last_not_of('0', end - 1);
  words.erase(last == point ? point : last + 1, end - (last == point ? point : last + 1));
  return words;
}

/// From 0 on, as many that they can be read, in steps of powers of the base, or of a part of one.
std::vector<double> axis_values(double most, int base) {
  constexpr double fewest = 3, largest = 6.5, slack = 1e-9;
  if (!(most > 0)) return {0};
  const double magnitude = std::pow(base, std::floor(std::log(most) / std::log(base)));
  double step = magnitude;
  if (base == 2) {
    while (most / step < fewest) step /= 2;
  } else {
    for (const double factor : {0.5, 0.2, 0.1}) {
      if (most / step < fewest) step = magnitude * factor;
    }
  }
  while (most / step > largest) step *= 2;
  std::vector<double> values;
  for (int i = 0; i <= static_cast<int>(std::floor(most / step + slack)); ++i) values.push_back(i * step);
  return values;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string open_picture(double height, std::string_view description) {
  return fmt::format(
      "<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"{}\"><title>{}</title>\n",
      chart_width, height, escaped(description), escaped(description));
}

std::string picture_text(double x, double y, std::string_view at, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, at, escaped(text));
}

std::string legend_of_times(std::string_view others) {
  return fmt::format(
      "<p class=\"legend\"><span><i class=\"computing\"></i>computing</span><span><i class=\"transfer\"></i>moving "
      "data "
      "in MPI</span><span><i class=\"waiting\"></i>waiting in MPI</span>{}</p>\n",
      others);
}

std::vector<AxisMark> time_axis(double most) {
  constexpr double minute = 60, hour = 3600;
  const bool is_long = most >= 10 * minute, is_very_long = most >= 2 * hour;
  const double unit = is_very_long ? hour : is_long ? minute : 1;
  std::vector<AxisMark> marks;
  for (const double value : axis_values(most / unit, 10)) {
    const char* const name = is_very_long ? "h" : "min";
    marks.push_back({value * unit, is_long ? fmt::format("{:g} {}", value, name) : on_axis(seconds_in_words(value))});
  }
  return marks;
}

std::vector<AxisMark> memory_axis(double most) {
  std::vector<AxisMark> marks;
  for (const double value : axis_values(most, 2)) marks.push_back({value, on_axis(bytes_in_words(value))});
  return marks;
}

std::vector<AxisMark> rank_axis(int ranks) {
  std::vector<AxisMark> marks;
  for (const double value : axis_values(ranks - 1, 2)) marks.push_back({value, fmt::format("{:.0f}", value)});
  return marks;
}

}  // namespace bowline::launcher
