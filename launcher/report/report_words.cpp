// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/report_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace bowline::launcher {
namespace {

/// Three digits that count.
std::string three_digits(double number) {
  return fmt::format("{:.{}f}", number, number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2);
}

/// "a, b and c".
std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace

std::string seconds_in_words(double seconds) {
  constexpr double minute = 60, hour = 3600, long_time = 600, full_second = 0.9995, least = 5e-6;
  if (seconds >= hour)
    return fmt::format("{:.0f} h {:.0f} min", std::floor(seconds / hour),
                       std::floor(std::fmod(seconds, hour) / minute));
  if (seconds >= long_time)
    return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / minute), std::floor(std::fmod(seconds, minute)));
  if (seconds >= full_second) return three_digits(seconds) + " s";
  return seconds < least ? "0 s" : three_digits(seconds * 1e3) + " ms";
}

std::string bytes_in_words(double bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr double step = 1024, full = 999.5;
  std::size_t unit = 0;
  for (; bytes >= full && unit + 1 < units.size(); ++unit) bytes /= step;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{} {}", three_digits(bytes), units[unit]);
}

std::string share_in_words(double part, double whole) {
  const double percent = whole > 0 ? 100 * part / whole : 0;
  if (percent > 0 && percent < 0.05) return "< 0.1 %";
  return percent > 0 && percent < 0.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string count_in_words(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count_in_words(number), number == 1 ? one : many);
}

std::string ranks_in_words(std::span<const int> ranks) {
  constexpr std::size_t most_parts = 8;
  std::vector<std::string> parts;
  for (std::size_t first = 0, end = 0; first < ranks.size(); first = end) {
    for (end = first + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1; ++end) continue;
    if (parts.size() == most_parts) {
      parts.push_back(fmt::format("{} more", count_in_words(ranks.size() - first)));
      break;
    }
    if (end - first > 2) {
      parts.push_back(fmt::format("{} to {}", ranks[first], ranks[end - 1]));
    } else {
      end = first + 1;
      parts.push_back(std::to_string(ranks[first]));
    }
  }
  return listed(parts);
}

std::string waits_in_words(std::span<const WaitedFor> waits) {
  constexpr std::size_t most = 3;
  constexpr double little = 0.05;  // of the first
  std::vector<std::string> parts;
  for (const WaitedFor& each : waits) {
    if (parts.size() == most || each.seconds < little * waits.front().seconds) break;
    parts.push_back(each.rank == several_ranks
                        ? fmt::format("several ({})", seconds_in_words(each.seconds))
                        : fmt::format("rank {} ({})", each.rank, seconds_in_words(each.seconds)));
  }
  if (waits.size() > parts.size()) parts.push_back("others");
  return listed(parts);
}

std::string power_in_words(std::uint64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  constexpr std::uint64_t step = 1024;
  std::size_t unit = 0;
  for (; bytes >= step; ++unit) bytes /= step;
  return fmt::format("{} {}", bytes, units[unit]);
}

std::string sizes_in_words(std::uint64_t lower) {
  if (lower < 2) return power_in_words(lower);
  if (lower < 1024) return fmt::format("{} to {} B", lower, 2 * lower - 1);
  constexpr std::uint64_t last = std::uint64_t{1} << 63;
  return lower == last ? "8 EiB and more" : fmt::format("{} to {}", power_in_words(lower), power_in_words(2 * lower));
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  return fmt::format("{}...", text.substr(0, end));
}

std::size_t sites_to_show(const JobReport& report, double whole, std::size_t most) {
  constexpr std::size_t fewest = 3;
  constexpr double little = 0.001;
  std::size_t number = 0;
  for (const Site& site : report.sites) {
    if (number == most || (number >= fewest && site.total() < little * whole)) break;
    ++number;
  }
  return number;
}

std::string title_in_words(const JobReport& report) {
  std::string text = counted(static_cast<std::uint64_t>(report.ranks), "rank", "ranks");
  if (!report.hosts.empty()) text += " on " + counted(report.hosts.size(), "node", "nodes");
  if (!report.date.empty()) text += ", " + report.date;
  if (!report.library.empty()) text += ", Bowline " + report.library;
  return text;
}

}  // namespace bowline::launcher
