// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/mpiexec_spawn.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "base/library_folder.hpp"
#include "base/parent_port.hpp"
#include "wireup/background_program.hpp"

namespace bowline::wireup {
namespace {

constexpr const char* mpiexec_variable = "BOWLINE_MPIEXEC";

// A shell that has the descriptor as long as a mpiexec runs that does not end with this process.
constexpr const char* holder = R"(
"$@" 3>&-
exit
)";
static_assert(BackgroundProgram::descriptor == 3);

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

/// mpiexec and its options, before those of a program.
std::vector<std::string> command_of_mpiexec(bool outlives, const std::string& separator) {
  std::vector<std::string> words{mpiexec_path()};
  if (separator != ":") words.insert(words.end(), {"--separator", separator});
  if (outlives)
    words.insert(words.begin(), {"/bin/sh", "-c", holder, "sh"});
  else
    words.insert(words.end(), {"--end-with-descriptor", std::to_string(BackgroundProgram::descriptor)});
  return words;
}

/// A word that separates the programs on mpiexec's command line, and is none of theirs.
std::string separator_for(std::span<const std::vector<std::string>> programs) {
  std::string separator = ":";
  const auto has = [&separator](const std::vector<std::string>& words) {
    return std::ranges::find(words, separator) != words.end();
  };
  while (std::ranges::any_of(programs, has)) separator += ':';
  return separator;
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
  words.emplace_back("--");  // the name may begin with a dash
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
  std::vector<std::vector<std::string>> parts;
  for (const Program& each : programs) parts.push_back(words_for(each));
  const std::string separator = separator_for(parts);
  std::vector<std::string> words = command_of_mpiexec(std::ranges::any_of(programs, &Program::outlives), separator);
  bool first = true;
  for (std::vector<std::string>& part : parts) {
    if (!std::exchange(first, false)) words.push_back(separator);
    std::ranges::move(part, std::back_inserter(words));
  }
  // The port's name has a secret, and other users see the words of a command.
  std::vector<std::string> environment = own_environment();
  environment.push_back(fmt::format("{}={}", ParentPort::variable, port));
  return std::make_unique<BackgroundJob>(std::move(words), std::move(environment));
}

}  // namespace bowline::wireup
