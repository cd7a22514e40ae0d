// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/selftest/judgement.hpp"

#include <fmt/format.h>

#include <utility>

namespace bowline::launcher {
namespace {

constexpr const char* no_figure = "the test ended without a figure: run it again, and report it if that stays";

std::string with_source(const std::string& figure, const std::string& source) {
  return source.empty() ? figure : fmt::format("{} {}", figure, source);
}

}  // namespace

std::string rate_text(double megabytes_per_second) {
  if (megabytes_per_second >= 1e3) return fmt::format("{:.1f} GB/s", megabytes_per_second / 1e3);
  return fmt::format("{:.{}f} MB/s", megabytes_per_second, megabytes_per_second < 10 ? 1 : 0);
}

std::string time_text(double microseconds) {
  if (microseconds >= 1e6) return fmt::format("{:.1f} s", microseconds / 1e6);
  if (microseconds >= 1e4) return fmt::format("{:.1f} ms", microseconds / 1e3);
  return fmt::format("{:.{}f} us", microseconds, microseconds < 10 ? 2 : microseconds < 100 ? 1 : 0);
}

std::string bytes_text(std::size_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{} MiB", bytes >> 20);
  return bytes >= 1 << 10 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} bytes", bytes);
}

SelftestRow judge_rate(std::string what, std::optional<double> measured, const Possible& possible, double part,
                       std::string advice) {
  if (!measured || *measured <= 0) return {Grade::failed, std::move(what), "nothing", "", no_figure};
  SelftestRow row{Grade::ok, std::move(what), rate_text(*measured), "", ""};
  if (possible.value <= 0) return row;
  row.possible = with_source(rate_text(possible.value), possible.source);
  if (*measured >= part * possible.value) return row;
  row.grade = Grade::slow;
  row.advice = std::move(advice);
  return row;
}

SelftestRow judge_time(std::string what, std::optional<double> measured, const Possible& possible, double times,
                       std::string advice) {
  if (!measured || *measured <= 0) return {Grade::failed, std::move(what), "nothing", "", no_figure};
  SelftestRow row{Grade::ok, std::move(what), time_text(*measured), "", ""};
  if (possible.value <= 0) return row;
  row.possible = with_source(time_text(possible.value), possible.source);
  if (*measured <= times * possible.value) return row;
  row.grade = Grade::slow;
  row.advice = std::move(advice);
  return row;
}

std::string line_of(const SelftestRow& row) {
  constexpr const char* words[] = {"ok", "slow", "FAILED"};
  std::string line = fmt::format("{:<7} {:<52} {:>10}", words[static_cast<int>(row.grade)], row.what, row.measured);
  if (!row.possible.empty()) line += "  of " + row.possible;
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace bowline::launcher
