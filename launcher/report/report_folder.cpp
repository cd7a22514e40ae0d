// SPDX-License-Identifier: BSD-3-Clause
// Finds the records of a job and reads them.
#include <fmt/chrono.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "launcher/report/json_fields.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

/// N of rank-N.json.
std::optional<int> rank_in_name(const std::string& name) {
  constexpr std::string_view begin = "rank-", end = ".json";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size()) return {};
  int rank = 0;
  const char* const last = name.data() + name.size() - end.size();
  const auto [stop, error] = std::from_chars(name.data() + begin.size(), last, rank);
  return error == std::errc() && stop == last && rank >= 0 ? std::optional(rank) : std::nullopt;
}

/// In the order of ranks.
std::vector<std::pair<int, fs::path>> records_in(const fs::path& folder) {
  std::vector<std::pair<int, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    if (const std::optional<int> rank = rank_in_name(each->path().filename())) files.emplace_back(*rank, each->path());
  }
  if (error) throw UsageError("{} cannot be read: {}", folder.string(), error.message());
  if (files.empty())
    throw UsageError("{} has no record of a rank: there is no file such as rank-0.json", folder.string());
  std::ranges::sort(files);
  return files;
}

std::string date_of(fs::file_time_type time) {
  const auto system_time = std::chrono::file_clock::to_sys(time);
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::seconds>(system_time));
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(seconds));
}

}  // namespace

JobReport read_job(const fs::path& folder) {
  std::vector<RankRecord> records;
  fs::file_time_type newest = fs::file_time_type::min();
  for (const auto& [rank, file] : records_in(folder)) {
    RankRecord record = read_record(file);
    if (record.rank != rank) throw UsageError("{} is the record of rank {}", file.string(), record.rank);
    if (!records.empty() && record.ranks != records.front().ranks)
      throw UsageError("{} is of a job of {} ranks, but others of this folder are of one of {}", file.string(),
                       record.ranks, records.front().ranks);
    records.push_back(std::move(record));
    std::error_code ignored;
    const fs::file_time_type written = fs::last_write_time(file, ignored);
    if (!ignored) newest = std::max(newest, written);
  }
  JobReport report = report_of(records);
  if (newest != fs::file_time_type::min()) report.date = date_of(newest);
  return report;
}

JobReport read_report(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return read_job(path);
  return report_in(text_of_file(path), path.string());
}

}  // namespace bowline::launcher
