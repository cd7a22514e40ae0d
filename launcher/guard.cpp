// SPDX-License-Identifier: BSD-3-Clause
// See guard.hpp.
#include "launcher/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "launcher/environment.hpp"
#include "launcher/error.hpp"
#include "launcher/process.hpp"
#include "launcher/signals.hpp"
#include "launcher/terminal.hpp"

namespace bowline::launcher {
namespace {

std::filesystem::path make_scratch() {
  const char* base = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/bowline-XXXXXX", base == nullptr || *base == '\0' ? "/tmp" : base);
  if (mkdtemp(path.data()) == nullptr) {
    throw LaunchError("cannot make a directory {}: {}; set TMPDIR to a writable directory", path, strerror(errno));
  }
  return path;
}

void remove_scratch(const std::filesystem::path& scratch) {
  std::error_code error;
  std::filesystem::remove_all(scratch, error);
  if (error) fmt::print(stderr, "mpiexec: cannot remove {}: {}\n", scratch.string(), error.message());
}

/// The job's process: never returns to its caller's stack frames.
[[noreturn]] void run_job(const Job& job, const Link& link) {
  setsid();  // no terminal: neither Ctrl-C nor a kill of mpiexec's process group reaches this process or the ranks
  prctl(PR_SET_NAME, "bowline-job");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int status = kLaunchFailed;
  try {
    forget_outer_job();
    JobRunner runner(job, link);
    status = runner.run();
  } catch (const LaunchError& error) {
    fmt::print(stderr, "mpiexec: {}\n", error.what());
  }
  end_descendants();
  // Whether the supervisor still lives or not: removing twice does no harm.
  remove_scratch(job.scratch);
  _exit(status);
}

int wait_status(pid_t pid, const Job& job) {
  int status = 0;
  if (waitpid(pid, &status, WNOHANG) != pid) return -1;
  end_descendants();
  remove_scratch(job.scratch);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fmt::print(stderr, "mpiexec: the process that ran the job on {} was killed by signal {}; all ranks were ended\n",
             job.host, describe_signal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

void pass_on(int signal, pid_t pid) {
  kill(pid, signal);
  if (signal == SIGTSTP) raise(SIGSTOP);
}

int watch(pid_t pid, const Job& job, int signal_fd, Terminal* terminal) {
  while (true) {
    pollfd fds[] = {{.fd = signal_fd, .events = POLLIN, .revents = 0},
                    terminal == nullptr ? pollfd{.fd = -1, .events = 0, .revents = 0} : terminal->wanted()};
    poll(fds, 2, terminal == nullptr ? -1 : terminal->wait_ms());
    signalfd_siginfo info;
    while (read(signal_fd, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo != SIGCHLD)
        pass_on(static_cast<int>(info.ssi_signo), pid);
      else if (const int status = wait_status(pid, job); status >= 0)
        return status;
    }
    if (terminal != nullptr) terminal->forward(fds[1]);
  }
}

}  // namespace

int supervise(Job job) {
  const sigset_t signals = block_signals();
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  int alive[2];
  if (signal_fd < 0 || pipe2(alive, O_CLOEXEC) != 0) throw LaunchError("cannot start the job: {}", strerror(errno));
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::optional<Terminal> terminal;
  if (isatty(STDIN_FILENO)) terminal.emplace();
  job.scratch = make_scratch();

  const pid_t pid = fork();
  if (pid < 0) {
    const int error = errno;
    remove_scratch(job.scratch);
    throw LaunchError("cannot start the job: fork: {}", strerror(error));
  }
  if (pid == 0) {
    close(alive[1]);
    run_job(job, {.owner_fd = alive[0],
                  .stdin_fd = terminal ? terminal->release_reader() : STDIN_FILENO,
                  .interactive = terminal.has_value()});
  }
  close(alive[0]);
  if (terminal) terminal->close_reader();
  return watch(pid, job, signal_fd, terminal ? &*terminal : nullptr);
}

}  // namespace bowline::launcher
