// SPDX-License-Identifier: BSD-3-Clause
// The memory of ranks while the job ran: their mean and the largest of them.
#include <fmt/format.h>

#include <algorithm>

#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

struct MemoryFrame {
  static constexpr double left = 80, top = 10, height = 190, below = 43;
  double begin = 0, end = 0, most = 0;

  double x(double seconds) const { return left + (chart_width - left - 26) * (seconds - begin) / (end - begin); }
  double y(double bytes) const { return top + height * (1 - bytes / most); }
};

std::string memory_line(const JobReport& report, const MemoryFrame& frame, double MemoryPoint::*value) {
  std::string path;
  for (const MemoryPoint& point : report.memory)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", frame.x(point.seconds), frame.y(point.*value));
  return path;
}

std::string memory_axes(const MemoryFrame& frame) {
  constexpr double bottom = MemoryFrame::top + MemoryFrame::height;
  std::string svg;
  for (const AxisMark& mark : memory_axis(frame.most)) {
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", frame.x(frame.begin),
                       frame.y(mark.value), frame.x(frame.end));
    svg += picture_text(MemoryFrame::left - 6, frame.y(mark.value) + 4, "end", mark.text);
  }
  for (const AxisMark& mark : time_axis(frame.end)) {
    if (mark.value < frame.begin) continue;
    svg += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1:.1f}v5\"/>\n", frame.x(mark.value), bottom);
    svg += picture_text(frame.x(mark.value), bottom + 18, "middle", mark.text);
  }
  return svg +
         picture_text((frame.x(frame.begin) + frame.x(frame.end)) / 2, bottom + 37, "middle", "time since MPI_Init");
}

}  // namespace

std::string memory_section(const JobReport& report) {
  if (report.memory.size() < 2) return "";
  MemoryFrame frame{.begin = 0, .end = report.memory.back().seconds};
  for (const MemoryPoint& point : report.memory) frame.most = std::max(frame.most, point.most);
  if (frame.most <= 0 || frame.end <= frame.begin) return "";
  const MemoryPoint& last = report.memory.back();
  const std::string description = fmt::format(
      "Memory of a rank over {}: at the end {} on average, {} at most; {} at most at any time",
      seconds_in_words(frame.end), bytes_in_words(last.mean), bytes_in_words(last.most), bytes_in_words(frame.most));
  const std::string mean = memory_line(report, frame, &MemoryPoint::mean);
  std::string html =
      "<section><h2>Memory over time</h2>\n<p class=\"legend\"><span><i class=\"line mean\"></i>mean of the "
      "ranks</span>"
      "<span><i class=\"line most\"></i>largest rank</span></p>\n";
  html += open_picture(MemoryFrame::top + MemoryFrame::height + MemoryFrame::below, description) + memory_axes(frame);
  html += fmt::format("<path class=\"area\" d=\"{}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\"/>\n", mean, frame.x(last.seconds),
                      frame.y(0), frame.x(report.memory.front().seconds), frame.y(0));
  html += fmt::format("<path class=\"mean\" d=\"{}\"/>\n<path class=\"most\" d=\"{}\"/>\n", mean,
                      memory_line(report, frame, &MemoryPoint::most));
  return html + std::string(close_picture) + "</section>\n";
}

}  // namespace bowline::launcher
