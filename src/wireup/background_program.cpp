// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/background_program.hpp"

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
#include <cstring>
#include <mutex>

#include "wireup/spawning.hpp"

namespace bowline::wireup {
namespace {

/// The ends of the pairs of sockets that this process has, as long as programs have the other ones. Each side sees at
/// its end whether the other side is still there.
class Ends {
 public:
  /// Closes those whose program has ended, and adds one.
  void add(int end) {
    const std::lock_guard hold(mutex_);
    std::erase_if(open_, [](int each) {
      if (!is_over(each)) return false;
      close(each);
      return true;
    });
    open_.push_back(end);
  }

  std::optional<std::string> last_words(int end) {
    const std::lock_guard hold(mutex_);
    if (std::ranges::find(open_, end) == open_.end()) return "";
    if (!is_over(end)) return {};
    std::array<char, 64> words;
    const ssize_t length = recv(end, words.data(), words.size(), MSG_DONTWAIT | MSG_PEEK);
    return std::string(words.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
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

/// What execve() takes. Refers to the texts.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& each : texts) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// In the process that becomes the program, between fork() and execve(): calls only what a signal handler may call.
[[noreturn]] void become(char* const* words, char* const* environment, int end) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1, SIGQUIT}) ::signal(signal, SIG_DFL);
  if (const int null = open("/dev/null", O_RDONLY); null >= 0) dup2(null, STDIN_FILENO);
  if (end != BackgroundProgram::descriptor) dup2(end, BackgroundProgram::descriptor);
  fcntl(BackgroundProgram::descriptor, F_SETFD, 0);
  execve(words[0], words, environment);
  _exit(127);
}

/// Starts the program as a grandchild, which never becomes a zombie of this process.
void start(std::vector<std::string>& words, std::vector<std::string>& environment, int end) {
  const std::vector<char*> arguments = pointers_to(words), variables = pointers_to(environment);
  const pid_t child = fork();
  if (child < 0) throw SpawnFailure(-1, fmt::format("{} cannot be started: fork: {}", words[0], strerror(errno)));
  if (child == 0) {
    if (const pid_t grandchild = fork(); grandchild != 0) _exit(grandchild < 0 ? 1 : 0);
    become(arguments.data(), variables.data(), end);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

BackgroundProgram::BackgroundProgram(std::vector<std::string> words, std::vector<std::string> environment) {
  std::array<int, 2> pair;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    throw SpawnFailure(-1, fmt::format("{} cannot be started: no pair of sockets: {}", words[0], strerror(errno)));
  end_ = pair[0];
  ends().add(end_);
  try {
    start(words, environment, pair[1]);
  } catch (...) {
    close(pair[1]);
    throw;
  }
  close(pair[1]);
}

std::optional<std::string> BackgroundProgram::ended() {
  return ends().last_words(end_);
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) all.emplace_back(*each);
  return all;
}

}  // namespace bowline::wireup
