// SPDX-License-Identifier: BSD-3-Clause
// Finds the records of a job and reads them.
#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include "launcher/report/json_fields.hpp"
#include "launcher/report/rank_files.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

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
  for (const auto& [rank, file] : rank_files(folder, ".json", "record")) {
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
