// SPDX-License-Identifier: BSD-3-Clause
// See job_records.hpp.
#include "launcher/job/job_records.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "launcher/flight/flight_output.hpp"
#include "launcher/flight/recorder_variable.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view to_output = "-";

fs::path records_in(const fs::path& scratch) {
  return scratch / "report";
}

fs::path recordings_in(const fs::path& scratch) {
  return scratch / "record";
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  if (!out.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
    throw LaunchError("{} cannot be written: {}", file.string(), strerror(errno));
}

/// Nobody has written a record.
std::string nothing_to_tell() {
  return "no rank has written where its time went: ranks of Bowline do that in MPI_Finalize";
}

/// Whether a rank has written into the folder.
bool has_files(const fs::path& folder) {
  std::error_code error;
  return !fs::is_empty(folder, error) && !error;
}

}  // namespace

std::string report_variable(const fs::path& scratch) {
  return "BOWLINE_REPORT=" + records_in(scratch).string();
}

void check_report(const std::string& report) {
  if (report.empty() || report == to_output) return;
  std::error_code error;
  const fs::path file = fs::absolute(report), directory = file.parent_path();
  if (fs::is_directory(file, error)) throw UsageError("--report {}: is a directory; name a file, or -", report);
  if (!fs::is_directory(directory, error) || access(directory.c_str(), W_OK | X_OK) != 0)
    throw UsageError("--report {}: {} is not a directory where files can be made", report, directory.string());
}

void write_report(const std::string& report, const fs::path& scratch) noexcept {
  try {
    std::error_code error;
    if (scratch.empty()) throw LaunchError("there is no directory for temporary files");
    if (!fs::is_directory(records_in(scratch), error)) throw LaunchError("{}", nothing_to_tell());
    const JobReport job = read_job(records_in(scratch));
    if (report == to_output) {
      const std::string text = to_text(job);
      if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw LaunchError("standard output cannot be written: {}", strerror(errno));
    } else {
      write_text(report, fs::path(report).extension() == ".json" ? to_json(job) : to_html(job));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "mpiexec: --report {}: {}\n", report, error.what());
  }
}

std::string record_variable(const fs::path& scratch) {
  return std::string(recorder_variable) + "=" + recordings_in(scratch).string();
}

void make_record_folder(const fs::path& scratch) {
  std::error_code error;
  fs::create_directory(recordings_in(scratch), error);
  if (scratch.empty() || error)
    throw LaunchError("--record: the folder {} for the last events of the ranks cannot be made: {}",
                      recordings_in(scratch).string(),
                      scratch.empty() ? "there is no directory for temporary files" : error.message());
}

void write_record(const std::string& record, const fs::path& scratch,
                  const std::optional<FirstLoss>& first_loss) noexcept {
  try {
    if (!has_files(recordings_in(scratch)))
      throw LaunchError("no rank has kept its last events: ranks of Bowline do that from MPI_Init on");
    for (const std::string& problem : write_flight(recordings_in(scratch), {.first_loss = first_loss}, record))
      fmt::print(stderr, "mpiexec: --record {}: {}\n", record, problem);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mpiexec: --record {}: {}\n", record, error.what());
  }
}

}  // namespace bowline::launcher
