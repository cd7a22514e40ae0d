// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/selftest/timed_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "launcher/usage_error.hpp"
#include "node/descriptor.hpp"

namespace bowline::launcher {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double time_to_end = 5;  ///< seconds that a command may take to end when it is asked to

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw LaunchError("no pipe can be made: {}", std::strerror(errno));
    out = node::Descriptor(ends[0]);
    in = node::Descriptor(ends[1]);
  }
  node::Descriptor out, in;
};

[[noreturn]] void become(const std::vector<std::string>& words, const Variables& variables, int output, int errors) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  dprintf(STDERR_FILENO, "%s cannot be started: %s\n", argv[0], std::strerror(errno));
  _exit(127);
}

/// Appends what is there to read. Returns whether more may come.
bool read_some(int from, std::string& to) {
  std::array<char, 4096> buffer;
  const ssize_t length = read(from, buffer.data(), buffer.size());
  if (length > 0) to.append(buffer.data(), static_cast<std::size_t>(length));
  return length > 0 || (length < 0 && errno == EINTR);
}

/// Reads both until their ends or the deadline. Returns whether they ended.
bool read_all(const Pipe& output, const Pipe& errors, CommandEnd& end, Clock::time_point deadline) {
  std::array<pollfd, 2> both{{{output.out.number(), POLLIN, 0}, {errors.out.number(), POLLIN, 0}}};
  while (both[0].fd >= 0 || both[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (poll(both.data(), both.size(), static_cast<int>(left)) <= 0) continue;
    if (both[0].revents != 0 && !read_some(both[0].fd, end.output)) both[0].fd = -1;
    if (both[1].revents != 0 && !read_some(both[1].fd, end.errors)) both[1].fd = -1;
  }
  return true;
}

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

int status_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

CommandEnd run_command(const std::vector<std::string>& words, const Variables& variables, double seconds) {
  Pipe output, errors;
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process < 0) throw LaunchError("no process can be made: {}", std::strerror(errno));
  if (process == 0) become(words, variables, output.in.number(), errors.in.number());
  setpgid(process, process);  // both do it: neither waits for the other
  output.in = {};
  errors.in = {};
  CommandEnd end;
  if (!read_all(output, errors, end, in(seconds))) {
    end.timed_out = true;
    kill(-process, SIGTERM);
    if (!read_all(output, errors, end, in(time_to_end))) kill(-process, SIGKILL);
  }
  end.status = status_of(process);
  return end;
}

}  // namespace bowline::launcher
