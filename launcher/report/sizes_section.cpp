// SPDX-License-Identifier: BSD-3-Clause
// How many messages of which lengths the ranks have sent: two columns for each power of two.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

/// Places on a scale of logarithms, on which one message can be seen.
struct SizesFrame {
  static constexpr double left = 80, top = 10, height = 190, below = 43, foot = 0.3;
  int first = 0, last = 0;  ///< of the numbers of powers
  double most = 1;          ///< messages

  double step() const { return (chart_width - left - 10) / (last - first + 1); }
  double x(int power) const { return left + step() * (power - first); }
  double length(double number) const {
    return number < 1 ? 0 : height * (std::log10(number) + foot) / (std::log10(most) + foot);
  }
};

/// 0 for messages without data, 1 for those of a byte, 2 for those of 2 bytes or 3, ...
int number_of(std::uint64_t lower) {
  return static_cast<int>(std::bit_width(lower));
}

std::string sizes_axes(const SizesFrame& frame) {
  constexpr double label = 48, bottom = SizesFrame::top + SizesFrame::height;
  std::string svg;
  const int decades = static_cast<int>(std::log10(frame.most)), each = decades / 6 + 1;
  for (int decade = 0; decade <= decades; decade += each) {
    const double y = bottom - frame.length(std::pow(10, decade));
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", SizesFrame::left, y, chart_width - 10);
    const std::string text = decade < 7 ? count_in_words(static_cast<std::uint64_t>(std::llround(std::pow(10, decade))))
                                        : fmt::format("1e{}", decade);
    svg += picture_text(SizesFrame::left - 6, y + 4, "end", text);
  }
  const int stride = static_cast<int>(label / frame.step()) + 1;
  for (int power = frame.first; power <= frame.last; power += stride)
    svg += picture_text(frame.x(power) + frame.step() / 2, bottom + 18, "middle",
                        power_in_words(power == 0 ? 0 : std::uint64_t{1} << (power - 1)));
  return svg + picture_text((SizesFrame::left + chart_width) / 2, bottom + 37, "middle",
                            "length of messages, from this to less than the next power of two");
}

std::string sizes_columns(const SizesFrame& frame, const MessageSizes& row) {
  constexpr double gap = 0.1;  // of the room for a power, at both sides
  std::string svg = fmt::format("<g><title>{}: {} sent at once, {} announced</title>", sizes_in_words(row.lower),
                                count_in_words(row.eager), count_in_words(row.announced));
  const double width = frame.step() * (1 - 2 * gap) / 2;
  double x = frame.x(number_of(row.lower)) + frame.step() * gap;
  for (const auto& [number, name] : {std::pair(row.eager, "computing"), std::pair(row.announced, "transfer")}) {
    const double length = frame.length(static_cast<double>(number));
    if (length > 0)
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>", x,
                         SizesFrame::top + SizesFrame::height - length, width, length, name);
    x += width;
  }
  return svg + "</g>\n";
}

/// Which messages carry most bytes. Their lengths are known within a factor of two: the middle counts.
std::string heaviest_in_words(const JobReport& report) {
  constexpr double middle = 1.5;
  double whole = 0, most = 0;
  std::uint64_t heaviest = 0;
  for (const MessageSizes& row : report.sizes) {
    const double bytes =
        middle * static_cast<double>(row.lower) * (static_cast<double>(row.eager) + static_cast<double>(row.announced));
    whole += bytes;
    if (bytes > most) heaviest = row.lower;
    most = std::max(most, bytes);
  }
  if (most <= 0) return "None carries data.";
  return fmt::format("About {} of the bytes are in messages of {}.", share_in_words(most, whole),
                     sizes_in_words(heaviest));
}

}  // namespace

std::string sizes_section(const JobReport& report) {
  if (report.sizes.empty()) return "";
  SizesFrame frame{.first = number_of(report.sizes.front().lower), .last = number_of(report.sizes.back().lower)};
  double number = 0, announced = 0;
  for (const MessageSizes& row : report.sizes) {
    frame.most = std::max({frame.most, static_cast<double>(row.eager), static_cast<double>(row.announced)});
    number += static_cast<double>(row.eager) + static_cast<double>(row.announced);
    announced += static_cast<double>(row.announced);
  }
  const std::string words = fmt::format("{} of the messages of all ranks are announced before they are sent. {}",
                                        share_in_words(announced, number), heaviest_in_words(report));
  std::string html = fmt::format(
      "<section><h2>Sizes of messages</h2>\n<p>{}</p>\n<p class=\"legend\"><span><i class=\"computing\"></i>sent at "
      "once</span><span><i class=\"transfer\"></i>announced</span></p>\n",
      words);
  html += open_picture(SizesFrame::top + SizesFrame::height + SizesFrame::below,
                       "Numbers of messages by their length. " + words);
  html += sizes_axes(frame);
  for (const MessageSizes& row : report.sizes) html += sizes_columns(frame, row);
  return html + std::string(close_picture) + "</section>\n";
}

}  // namespace bowline::launcher
