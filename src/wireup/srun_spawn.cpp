// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/srun_spawn.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "wireup/background_program.hpp"
#include "wireup/environment_variable.hpp"
#include "wireup/slurm_environment.hpp"
#include "wireup/srun_command.hpp"

namespace bowline::wireup {
namespace {

// A shell between this process and srun. When it reads the end of the file, this process has ended: children that have
// parted have two seconds to end too, then SIGTERM makes srun end its step. When srun has ended, its status is the last
// word.
static_assert(BackgroundProgram::descriptor == 3);
constexpr const char* supervisor = R"(
"$@" 3<&- &
srun=$!
{
  read -r end <&3
  sleep 2 3<&- &
  pause=$!
  trap 'kill "$pause"; exit' TERM
  wait "$pause"
  kill "$srun"
} 2>/dev/null &
watch=$!
wait "$srun"
status=$?
kill "$watch" 2>/dev/null
echo "$status" >&3
)";

// The same for children that go on when this process has ended.
constexpr const char* unending_supervisor = R"(
"$@" 3>&-
echo "$?" >&3
)";

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "this node";
}

bool can_be_executed(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// The path of a program that is searched for in directories separated by colons; empty if there is none.
std::string search(const std::string& name, std::string_view directories) {
  std::istringstream list{std::string(directories)};
  for (std::string directory; std::getline(list, directory, ':');) {
    const std::filesystem::path path = std::filesystem::path(directory.empty() ? "." : directory) / name;
    if (can_be_executed(path)) return path;
  }
  return {};
}

std::string srun_path() {
  std::string path = search("srun", variable("PATH"));
  if (!path.empty()) return path;
  throw SpawnFailure(-1,
                     fmt::format("in an allocation of Slurm processes are started by srun, but there is none in PATH "
                                 "on {}: add its directory to PATH",
                                 this_host()));
}

bool can_be_started(const Program& program) {
  if (program.name.find('/') == std::string::npos)
    return !search(program.name, fmt::format("{}:{}", program.path, variable("PATH"))).empty();
  return can_be_executed(std::filesystem::path(program.directory) / program.name);
}

/// Looks for what may have been missing, after srun has failed: before, the program might be on other nodes only.
[[noreturn]] void explain(std::span<const Program> programs, int status) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const Program& program = programs[i];
    std::error_code error;
    if (!program.directory.empty() && !std::filesystem::is_directory(program.directory, error)) {
      throw SpawnFailure(static_cast<int>(i), fmt::format("the working directory {} is not there on {}: give one that "
                                                          "all nodes have",
                                                          program.directory, this_host()));
    }
    if (!can_be_started(program)) {
      throw SpawnFailure(static_cast<int>(i),
                         fmt::format("there is no program {} on {}, or it cannot be executed: give "
                                     "the path of one that all nodes have",
                                     program.name, this_host()));
    }
  }
  throw SpawnFailure(-1, fmt::format("srun has ended with status {} before the processes called MPI_Init, and says why "
                                     "on standard error: start a program that uses MPI; if nodes are busy or missing, "
                                     "ask Slurm for more of them",
                                     status));
}

class SrunJob final : public SpawnedJob {
 public:
  SrunJob(std::span<const Program> programs, const std::string& port, std::string_view mpi)
      : programs_(programs.begin(), programs.end()),
        srun_(words(programs, mpi), srun_environment(own_environment(), port)) {}

  std::optional<std::string> ended() override {
    const auto said = srun_.ended();
    if (!said) return {};
    int status = -1;
    std::istringstream(*said) >> status;
    if (status != 0) explain(programs_, status);
    return "have ended";
  }

 private:
  static std::vector<std::string> words(std::span<const Program> programs, std::string_view mpi) {
    const bool outlives = std::ranges::any_of(programs, &Program::outlives);
    std::vector<std::string> all{"/bin/sh", "-c", outlives ? unending_supervisor : supervisor, "sh", srun_path()};
    for (std::string& each : srun_words(programs, allocated_cpus(), mpi)) all.push_back(std::move(each));
    return all;
  }

  std::vector<Program> programs_;
  BackgroundProgram srun_;
};

}  // namespace

std::unique_ptr<SpawnedJob> spawn_by_srun(std::span<const Program> programs, const std::string& port,
                                          std::string_view mpi) {
  return std::make_unique<SrunJob>(programs, port, mpi);
}

}  // namespace bowline::wireup
