// SPDX-License-Identifier: BSD-3-Clause
// See preparation.hpp.
#include "launcher/job/preparation.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// Of the signals that this thread has blocked, returns those that ask for the end of the job.
sigset_t signals_that_end() {
  sigset_t blocked, ending;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  sigemptyset(&ending);
  for (const int signal : forwarded_signals) {
    if (asks_to_end(signal) && sigismember(&blocked, signal) == 1) sigaddset(&ending, signal);
  }
  return ending;
}

}  // namespace

Preparation::Preparation(int owner_fd, std::function<void()> clean_up)
    : owner_fd_(owner_fd), clean_up_(std::move(clean_up)) {
  const sigset_t ending = signals_that_end();
  signal_fd_ = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
  over_fd_ = eventfd(0, EFD_CLOEXEC);
  if (signal_fd_ < 0 || over_fd_ < 0)
    throw LaunchError("cannot start the job: no more descriptors: {}; raise the limit on open files (ulimit -n)",
                      strerror(errno));
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    throw LaunchError("cannot start the job: no more threads: {}; raise the limit on processes (ulimit -u)",
                      error.what());
  }
}

Preparation::~Preparation() {
  const std::uint64_t one = 1;
  (void)!write(over_fd_, &one, sizeof one);
  thread_.join();
  close(signal_fd_);
  close(over_fd_);
}

void Preparation::watch() const {
  while (true) {
    pollfd fds[] = {{.fd = over_fd_, .events = POLLIN, .revents = 0},
                    {.fd = owner_fd_, .events = POLLIN, .revents = 0},
                    {.fd = signal_fd_, .events = POLLIN, .revents = 0}};
    if (poll(fds, 3, -1) < 0) continue;
    if (fds[0].revents != 0) return;
    if (fds[1].revents != 0) {
      clean_up_();
      _exit(128 + SIGKILL);
    }
    signalfd_siginfo info;
    if (read(signal_fd_, &info, sizeof info) != sizeof info) continue;
    const int signal = static_cast<int>(info.ssi_signo);
    fmt::print(stderr, "mpiexec: ended by signal {} before any rank was started\n", describe_signal(signal));
    clean_up_();
    _exit(128 + signal);
  }
}

}  // namespace bowline::launcher
