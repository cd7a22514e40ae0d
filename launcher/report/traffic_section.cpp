// SPDX-License-Identifier: BSD-3-Clause
// The heat map of traffic: the more bytes a sender sends to a receiver, the darker the square of the two.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

constexpr int shades = 8;             // each for half as many bytes as the next
constexpr int most_named_cells = 32;  // rows; with more, the squares have no texts of their own

struct HeaviestPair {
  int from = 0, to = 0;
  std::uint64_t bytes = 0;
};

HeaviestPair heaviest_pair(const TrafficMatrix& traffic) {
  HeaviestPair heaviest;
  for (int from = 0; from < traffic.cells; ++from) {
    for (int to = 0; to < traffic.cells; ++to) {
      if (traffic.at(from, to) > heaviest.bytes) heaviest = {from, to, traffic.at(from, to)};
    }
  }
  return heaviest;
}

/// 1 to `shades`; 0 for no bytes.
int shade_of(std::uint64_t bytes, std::uint64_t most) {
  if (bytes == 0) return 0;
  const double halvings = std::log2(static_cast<double>(most) / static_cast<double>(bytes));
  return std::max(1, shades - static_cast<int>(std::floor(halvings)));
}

std::string heat_square(double x, double y, double side, int shade) {
  return shade == 0 ? fmt::format("<rect class=\"cell0\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"",
                                  x, y, side, side)
                    : fmt::format("<rect class=\"s{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"",
                                  shade, x, y, side, side);
}

std::string square_of_pair(const JobReport& report, int from, int to, double x, double y, double side,
                           std::uint64_t most) {
  const std::uint64_t bytes = report.traffic.at(from, to);
  const std::string square = heat_square(x, y, side, shade_of(bytes, most));
  if (report.traffic.cells > most_named_cells || bytes == 0) return square + "/>\n";
  return fmt::format("{}><title>{} to {}: {}</title></rect>\n", square, escaped(traffic_name(report, from)),
                     escaped(traffic_name(report, to)), bytes_in_words(static_cast<double>(bytes)));
}

std::string traffic_legend(std::uint64_t most) {
  std::string html = "<p class=\"legend\">";
  for (int shade = 1; shade <= shades; ++shade) {
    const double limit = std::ldexp(static_cast<double>(most), shade - shades);
    html +=
        fmt::format("<span><i class=\"s{}\"></i>{}{}</span>", shade, shade == 1 ? "up to " : "", bytes_in_words(limit));
  }
  return html + "</p>\n";
}

/// The names of columns that are more than a number would not fit side by side.
std::string column_name(const JobReport& report, int cell, double x, double y) {
  const TrafficMatrix& traffic = report.traffic;
  if (traffic.unit == TrafficMatrix::Unit::rank)
    return picture_text(x, y, "middle", std::to_string(cell * traffic.per_cell));
  const std::string& host = report.hosts[static_cast<std::size_t>(cell * traffic.per_cell)];
  return fmt::format("<text x=\"{0:.1f}\" y=\"{1:.1f}\" transform=\"rotate(-55 {0:.1f} {1:.1f})\">{2}</text>\n", x + 4,
                     y, escaped(shortened(host, 10)));
}

/// Without "ranks" or "nodes", which a row of several begins with.
std::string row_name(const JobReport& report, int cell) {
  const std::string name = traffic_name(report, cell);
  return shortened(report.traffic.per_cell > 1 ? name.substr(name.find(' ') + 1) : name, 18);
}

std::string traffic_picture(const JobReport& report, std::uint64_t most, const std::string& description) {
  const TrafficMatrix& traffic = report.traffic;
  const bool are_ranks = traffic.unit == TrafficMatrix::Unit::rank;
  constexpr double largest_side = 28, room = 520, below = 8, line = 26, digit = 11;
  const double side = std::min(largest_side, room / traffic.cells), extent = side * traffic.cells;
  const double left = std::max(150.0, (chart_width - extent) / 2), gap = side > 12 ? 1.5 : 0.5;
  const double top = are_ranks ? 42 : 92;
  const double name_width = are_ranks ? digit * static_cast<double>(std::to_string(report.ranks).size() + 1) : line;
  const int row_step = static_cast<int>(std::ceil(line / side - 0.1));
  const int column_step = static_cast<int>(std::ceil(name_width / side - 0.1));
  std::string svg = open_picture(top + extent + below, description);
  svg += picture_text(left + extent / 2, 14, "middle", "to");
  svg += picture_text(left - 8, top - 8, "end", "from");
  for (int from = 0; from < traffic.cells; ++from) {
    const double along = side * from;
    if (from % row_step == 0) svg += picture_text(left - 8, top + along + side / 2 + 4, "end", row_name(report, from));
    if (from % column_step == 0) svg += column_name(report, from, left + along + side / 2, top - 8);
    for (int to = 0; to < traffic.cells; ++to)
      svg += square_of_pair(report, from, to, left + side * to, top + along, side - gap, most);
  }
  return svg + std::string(close_picture);
}

}  // namespace

std::string traffic_section(const JobReport& report) {
  const TrafficMatrix& traffic = report.traffic;
  if (traffic.total == 0 || traffic.cells == 0) return "";
  const HeaviestPair heaviest = heaviest_pair(traffic);
  const char* const what = traffic.unit == TrafficMatrix::Unit::rank ? "ranks" : "nodes";
  std::string sentence =
      fmt::format("{} in all, most from {} to {}: {}, {} of all.", bytes_in_words(static_cast<double>(traffic.total)),
                  traffic_name(report, heaviest.from), traffic_name(report, heaviest.to),
                  bytes_in_words(static_cast<double>(heaviest.bytes)),
                  share_in_words(static_cast<double>(heaviest.bytes), static_cast<double>(traffic.total)));
  if (report.hosts.size() > 1)
    sentence +=
        fmt::format(" {} went from one node to another.",
                    share_in_words(static_cast<double>(traffic.between_nodes), static_cast<double>(traffic.total)));
  if (traffic.per_cell > 1) sentence += fmt::format(" Each row and column is {} {}.", traffic.per_cell, what);
  return fmt::format("<section><h2>Communication matrix</h2>\n<p>{}</p>\n", escaped(sentence)) +
         traffic_legend(heaviest.bytes) +
         traffic_picture(report, heaviest.bytes, fmt::format("Bytes between {}. {}", what, sentence)) + "</section>\n";
}

}  // namespace bowline::launcher
