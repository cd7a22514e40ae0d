// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/mpiexec_spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/library_folder.hpp"
#include "base/parent_port.hpp"

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

/// The ends of pairs of sockets whose other ends mpiexecs in the background hold. Each side sees at its end whether the
/// other one is still there: mpiexec ends with this process.
class Ends {
 public:
  /// Closes those whose mpiexec has ended, and adds one.
  void add(int end) {
    const std::lock_guard hold(mutex_);
    std::erase_if(open_, [](int each) {
      if (!is_over(each)) return false;
      close(each);
      return true;
    });
    open_.push_back(end);
  }
  /// Whether the mpiexec at the other end has ended.
  bool has_ended(int end) {
    const std::lock_guard hold(mutex_);
    return std::ranges::find(open_, end) == open_.end() || is_over(end);
  }

 private:
  static bool is_over(int end) noexcept {
    pollfd readable{.fd = end, .events = POLLIN, .revents = 0};
    return poll(&readable, 1, 0) != 0;
  }

  std::mutex mutex_;
  std::vector<int> open_;
};

Ends& ends() {
  static Ends all;
  return all;
}

class BackgroundJob final : public SpawnedJob {
 public:
  explicit BackgroundJob(int end) : end_(end) { ends().add(end); }

  std::optional<std::string> ended() override {
    if (!ends().has_ended(end_)) return {};
    return "have ended, or were not started; what mpiexec says of that is on standard error";
  }

 private:
  int end_;
};

/// In the process that becomes mpiexec, between fork() and execve(): calls only what a signal handler may call.
[[noreturn]] void become(char* const* words, char* const* environment, int end) {
  setpgid(0, 0);  // Ctrl-C at the terminal is for the program that spawns, which decides what it means
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1, SIGQUIT}) ::signal(signal, SIG_DFL);
  if (const int null = open("/dev/null", O_RDONLY); null >= 0) dup2(null, STDIN_FILENO);
  fcntl(end, F_SETFD, 0);
  execve(words[0], words, environment);
  _exit(127);
}

/// Starts the program as a grandchild, so that it never becomes a zombie of this process, whose program may wait for
/// its own children. `port`: the variable that names the port.
void start(std::vector<std::string>& words, std::string port, int end) {
  std::vector<char*> arguments, environment;
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
  environment.push_back(port.data());
  environment.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw SpawnFailure(-1, fmt::format("mpiexec cannot be started: fork: {}", strerror(errno)));
  if (child == 0) {
    if (const pid_t grandchild = fork(); grandchild != 0) _exit(grandchild < 0 ? 1 : 0);
    become(arguments.data(), environment.data(), end);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::unique_ptr<SpawnedJob> spawn_by_mpiexec(std::span<const Program> programs, const std::string& port) {
  const std::string path = mpiexec_path();
  std::array<int, 2> pair;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw SpawnFailure(-1, fmt::format("mpiexec cannot be started: no pair of sockets: {}", strerror(errno)));
  auto job = std::make_unique<BackgroundJob>(pair[0]);
  std::vector<std::string> words{path, "--end-with-descriptor", std::to_string(pair[1])};
  bool first = true;
  for (const Program& each : programs) {
    if (!std::exchange(first, false)) words.emplace_back(":");
    for (std::string& word : words_for(each)) words.push_back(std::move(word));
  }
  // The port's name has a secret, and other users see the words of a command.
  start(words, fmt::format("{}={}", ParentPort::variable, port), pair[1]);
  close(pair[1]);
  return job;
}

}  // namespace bowline::wireup
