// SPDX-License-Identifier: BSD-3-Clause
// gdb in panes of tmux.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "launcher/debug/gdb.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

using Words = std::vector<std::string>;

/// While this exists, orphans below this process are not its own: the server that the first tmux starts must outlive
/// it, because the user may open other windows there.
class OrphansLeave {
 public:
  OrphansLeave() {
    prctl(PR_GET_CHILD_SUBREAPER, &before_);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  ~OrphansLeave() { prctl(PR_SET_CHILD_SUBREAPER, before_); }
  OrphansLeave(const OrphansLeave&) = delete;
  OrphansLeave& operator=(const OrphansLeave&) = delete;

 private:
  int before_ = 0;
};

pid_t spawn_tmux(const Words& words, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
  pid_t process = -1;
  const int error = posix_spawnp(&process, arguments[0], &files, &how, arguments.data(), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw LaunchError("cannot run tmux: {}", strerror(error));
  return process;
}

/// The output of a tmux command without the end of its line; none if it has failed.
std::optional<std::string> run_tmux(Words words) {
  words.insert(words.begin(), "tmux");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw LaunchError("cannot run tmux: {}", strerror(errno));
  const OrphansLeave guard;
  pid_t process = -1;
  try {
    process = spawn_tmux(words, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  // The server may hold the other end, so what is there is all.
  char text[256];
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const ssize_t size = read(ends[0], text, sizeof text);
  close(ends[0]);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  std::string output(text, size < 0 ? 0 : static_cast<std::size_t>(size));
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

Words with_command(Words words, const std::string& directory, const Words& command) {
  if (!directory.empty()) words.insert(words.end(), {"-c", directory});  // gdb looks for sources from there
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::string current_directory() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

}  // namespace

void open_in_tmux(GdbPlace place, const std::string& session, std::span<const DebuggedRank> ranks, bool from_start) {
  const std::string directory = current_directory();
  const std::string target = session + ":";
  const bool own = place == GdbPlace::tmux_session;
  Words new_window = {"new-window", "-P", "-F", "#{window_id}", "-n", "gdb"};
  if (own) new_window.insert(new_window.end(), {"-t", target});
  std::optional<std::string> window;
  for (const DebuggedRank& rank : ranks) {
    const Words command = gdb_command(rank, from_start);
    if (window) {
      if (run_tmux(with_command({"split-window", "-t", *window}, directory, command))) {
        run_tmux({"select-layout", "-t", *window, "tiled"});  // makes room for the next one
        continue;
      }
    }
    // tmux would otherwise give a session that nobody looks at the size of an old terminal.
    const Words first = {"new-session", "-d",           "-x", "200", "-y", "50",   "-P",
                         "-F",          "#{window_id}", "-n", "gdb", "-s", session};
    window = run_tmux(with_command(own && !window ? first : new_window, directory, command));
    if (!window) throw LaunchError("tmux cannot open a window for gdb on rank {}; see what it says above", rank.rank);
  }
}

}  // namespace bowline::launcher
