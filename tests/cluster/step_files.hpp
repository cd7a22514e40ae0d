// SPDX-License-Identifier: BSD-3-Clause
// Files by which ranks of a step tell each other something without a call of MPI, in a folder that all nodes see.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

/// The file with this name of this step.
inline std::filesystem::path step_file(const std::filesystem::path& folder, const std::string& name) {
  const auto setting = [](const char* variable) { return std::string(std::getenv(variable)); };
  return folder / (name + "." + setting("SLURM_JOB_ID") + "." + setting("SLURM_STEP_ID"));
}

inline void leave_file(const std::filesystem::path& file) {
  std::ofstream{file};
}

/// Waits for a file, and removes it. Returns whether there was one in time.
inline bool take_file(const std::filesystem::path& file) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!std::filesystem::exists(file) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return std::filesystem::remove(file);
}
