// SPDX-License-Identifier: BSD-3-Clause
// See guard.hpp.
#include "launcher/job/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "launcher/debug/debuggers.hpp"
#include "launcher/environment.hpp"
#include "launcher/job/event_loop.hpp"
#include "launcher/job/job_records.hpp"
#include "launcher/job/preparation.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/job/scratch.hpp"
#include "launcher/signals.hpp"
#include "launcher/terminal.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// What the supervising process passes to the job's process.
struct Link {
  int owner_fd;  ///< at end of file when the supervising process is gone
  JobInput input;
  DebuggerAccess debuggers;
};

/// Renames this process, so that a kill of mpiexec by its name, or by the name of its program, spares this process,
/// which then cleans up.
void rename_process(std::span<char*> arguments) {
  constexpr std::string_view name = "bowline-job";
  prctl(PR_SET_NAME, name.data());
  char* begin = arguments.front();  // what ps shows: the strings are consecutive
  const size_t size = static_cast<size_t>(arguments.back() + strlen(arguments.back()) - begin);
  memset(begin, 0, size);
  memcpy(begin, name.data(), std::min(name.size(), size));
}

/// Prepares the job. Ends this process if the user interrupts it meanwhile. `directory`: of the job's temporary files.
void prepare(std::optional<EventLoop>& loop, const Job& job, const Link& link, Scratch& scratch,
             const std::filesystem::path& directory) {
  forget_outer_job();
  if (!job.options.record.empty()) make_record_folder(directory);
  const Preparation interruptible(link.owner_fd, [&scratch] { scratch.remove_after_exit(); });
  LaunchSettings settings = settings_for(job.options, directory);
  settings.debuggers = link.debuggers;
  loop.emplace(std::move(settings), link.owner_fd);
  loop->add(job, link.input);
}

/// Runs the job in its process. Never returns to the caller's stack frames.
[[noreturn]] void run_job(const Job& job, const Link& link, Scratch& scratch, std::span<char*> arguments) {
  setsid();  // no terminal: neither Ctrl-C nor a kill of mpiexec's process group reaches this process or the ranks
  rename_process(arguments);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int status = status_launch_failed;
  std::filesystem::path directory;
  std::optional<EventLoop>
      loop;  // unless its construction failed, the object still exists at _exit, because PMIx's thread uses it
  try {
    try {
      directory = scratch.make();
      prepare(loop, job, link, scratch, directory);
      status = loop->run();
    } catch (const LaunchError& error) {
      fmt::print(stderr, "mpiexec: {}\n", error.what());
      loop.reset();  // the cleanup needs file descriptors, and their lack may be the error
    }
    end_descendants();
    if (!job.options.report.empty() && loop) write_report(job.options.report, directory);
    if (!job.options.record.empty() && loop) write_record(job.options.record, directory, loop->first_loss());
    scratch.remove();  // the supervising process, if it lives, removes the directory again
  } catch (const std::exception& error) {
    fmt::print(stderr, "mpiexec: {}\n", error.what());  // the supervising process ends the remaining processes
  }
  _exit(status);
}

int wait_status(pid_t pid, const Job& job, const Scratch& scratch, Debuggers& debuggers) {
  int status = 0;
  debuggers.note_end();
  if (waitpid(pid, &status, WNOHANG) != pid) return -1;
  debuggers.finish();
  end_descendants();
  scratch.remove();
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fmt::print(stderr, "mpiexec: the process that ran the job on {} was killed by signal {}; all ranks were ended\n",
             job.host, describe_signal(WTERMSIG(status)));
  return 128 + WTERMSIG(status);
}

void pass_on(int signal, pid_t pid) {
  kill(pid, signal);
  if (signal == SIGTSTP) raise(SIGSTOP);
}

int watch(pid_t pid, const Job& job, const Scratch& scratch, int signal_fd, Terminal* terminal, Debuggers& debuggers) {
  while (true) {
    pollfd fds[] = {{.fd = signal_fd, .events = POLLIN, .revents = 0},
                    terminal == nullptr ? pollfd{.fd = -1, .events = 0, .revents = 0} : terminal->wanted(),
                    {.fd = debuggers.descriptor(), .events = POLLIN, .revents = 0}};
    poll(fds, 3, terminal == nullptr ? -1 : terminal->wait_ms());
    signalfd_siginfo info;
    while (read(signal_fd, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo != SIGCHLD)
        pass_on(static_cast<int>(info.ssi_signo), pid);
      else if (const int status = wait_status(pid, job, scratch, debuggers); status >= 0)
        return status;
    }
    if (terminal != nullptr) terminal->forward(fds[1]);
    if (fds[2].revents != 0) debuggers.show_news();
  }
}

}  // namespace

int supervise(const Job& job, std::span<char*> arguments) {
  if (const int end = job.options.end_descriptor; end >= 0) fcntl(end, F_SETFD, FD_CLOEXEC);
  const sigset_t signals = block_signals();
  const int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  int alive[2];
  if (signal_fd < 0 || pipe2(alive, O_CLOEXEC) != 0) throw LaunchError("cannot start the job: {}", strerror(errno));
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  std::optional<Terminal> terminal;
  if (isatty(STDIN_FILENO)) terminal.emplace();
  Scratch scratch(scratch_places([](const char* name) -> const char* { return std::getenv(name); }));
  Debuggers debuggers(job);

  const pid_t pid = fork();
  if (pid < 0) throw LaunchError("cannot start the job: fork: {}", strerror(errno));
  if (pid == 0) {
    close(alive[1]);
    const int stdin_fd = terminal ? terminal->release_reader() : STDIN_FILENO;
    run_job(job,
            {.owner_fd = alive[0],
             .input = {.fd = stdin_fd, .interactive = terminal.has_value()},
             .debuggers = debuggers.access()},
            scratch, arguments);
  }
  close(alive[0]);
  if (terminal) terminal->close_reader();
  scratch.remove_dead();  // while the job's process starts the job
  return watch(pid, job, scratch, signal_fd, terminal ? &*terminal : nullptr, debuggers);
}

}  // namespace bowline::launcher
