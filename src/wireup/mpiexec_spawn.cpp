// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/mpiexec_spawn.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/library_folder.hpp"
#include "base/parent_port.hpp"
#include "wireup/background_program.hpp"

namespace bowline::wireup {
namespace {

constexpr const char* mpiexec_variable = "BOWLINE_MPIEXEC";

std::string mpiexec_path() {
  if (const char* const chosen = std::getenv(mpiexec_variable); chosen != nullptr && *chosen != '\0') return chosen;
  const std::string folder = library_folder();
  // Installed; in a build tree.
  for (const char* const relative : {BOWLINE_LIB_TO_BIN, "../../launcher"}) {
    std::string path = fmt::format("{}/{}/mpiexec", folder, relative);
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  throw SpawnFailure(-1, fmt::format("this process was started without a launcher, and the mpiexec that belongs to the "
                                     "library in {} is not there: name it in BOWLINE_MPIEXEC",
                                     folder));
}

/// Throws SpawnFailure for words that mean something to mpiexec.
void check_words(const Program& program) {
  if (program.name.starts_with('-')) {
    throw SpawnFailure(-1, fmt::format("the command \"{}\" looks like an option of mpiexec, which is to start it: give "
                                       "the program's path",
                                       program.name));
  }
  if (std::ranges::find(program.arguments, ":") != program.arguments.end()) {
    throw SpawnFailure(-1, fmt::format("an argument of {} is \":\", by which mpiexec, which is to start it, separates "
                                       "programs: start this program with mpiexec, too",
                                       program.name));
  }
}

std::vector<std::string> words_for(const Program& program) {
  std::vector<std::string> words{"-n", std::to_string(program.processes)};
  const auto option = [&words](const std::string& name, const std::string& value) {
    words.push_back("--" + name);
    words.push_back(value);
  };
  for (const auto& [variable, value] : program.environment) option("env", variable + "=" + value);
  if (!program.directory.empty()) option("wdir", program.directory);
  if (!program.path.empty()) option("path", program.path);
  for (const auto& [name, value] : program.placement) option(name, value);
  check_words(program);
  words.push_back(program.name);
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  return words;
}

class BackgroundJob final : public SpawnedJob {
 public:
  BackgroundJob(std::vector<std::string> words, std::vector<std::string> environment)
      : mpiexec_(std::move(words), std::move(environment)) {}

  std::optional<std::string> ended() override {
    if (!mpiexec_.ended()) return {};
    return "have ended, or were not started; what mpiexec says of that is on standard error";
  }

 private:
  BackgroundProgram mpiexec_;
};

}  // namespace

std::unique_ptr<SpawnedJob> spawn_by_mpiexec(std::span<const Program> programs, const std::string& port) {
  std::vector<std::string> words{mpiexec_path(), "--end-with-descriptor",
                                 std::to_string(BackgroundProgram::descriptor)};
  bool first = true;
  for (const Program& each : programs) {
    if (!std::exchange(first, false)) words.emplace_back(":");
    for (std::string& word : words_for(each)) words.push_back(std::move(word));
  }
  // The port's name has a secret, and other users see the words of a command.
  std::vector<std::string> environment = own_environment();
  environment.push_back(fmt::format("{}={}", ParentPort::variable, port));
  return std::make_unique<BackgroundJob>(std::move(words), std::move(environment));
}

}  // namespace bowline::wireup
