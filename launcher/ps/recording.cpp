// SPDX-License-Identifier: BSD-3-Clause
// See recording.hpp.
#include "launcher/ps/recording.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <system_error>

#include "launcher/flight/recorder_variable.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

/// What the process was started with; empty if it had no such folder. Throws UsageError if that cannot be known.
fs::path folder_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
  const std::string begin = std::string(recorder_variable) + "=";
  fs::path folder;
  for (std::string text; std::getline(file, text, '\0');)
    if (text.starts_with(begin)) folder = text.substr(begin.size());
  if (!file.is_open() || file.bad())
    throw UsageError("--record: the environment of process {} cannot be read: bowline-ps must run as the same user",
                     process);
  if (folder.empty() || folder.is_absolute()) return folder;
  std::error_code error;
  return fs::read_symlink(fmt::format("/proc/{}/cwd", process), error) / folder;
}

}  // namespace

fs::path recorder_folder(std::span<const RunningJob> jobs) {
  if (jobs.size() > 1)
    throw UsageError("--record: {} jobs run here; add the process id of one, such as {}", jobs.size(),
                     jobs.front().named_by());
  const RunningJob& job = jobs.front();
  for (const RankView& view : job.ranks()) {
    if (view.stage != RankStage::initialized) continue;
    fs::path folder = folder_of(view.line.process);
    if (folder.empty())
      throw UsageError(
          "--record: the ranks of job {} keep no events; start it with mpiexec --record FILE, or with {}=FOLDER",
          job.named_by(), recorder_variable);
    return folder;
  }
  throw UsageError("--record: MPI has not started in any rank of job {} that runs here; try again", job.named_by());
}

}  // namespace bowline::launcher
