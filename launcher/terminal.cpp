// SPDX-License-Identifier: BSD-3-Clause
// See terminal.hpp.
#include "launcher/terminal.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {

namespace {
constexpr int look_again_ms = 250;  // no signal announces that the shell has put this process into the foreground
}

Terminal::Terminal() : terminal_(open("/proc/self/fd/0", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw LaunchError("cannot make a pipe for standard input: {}", strerror(errno));
  reader_ = ends[0];
  writer_ = ends[1];
  fcntl(writer_, F_SETFL, O_NONBLOCK);
  // A terminal of another user (after su) may be read but not opened.
  if (terminal_ < 0) terminal_ = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  // Losing the foreground between the check and the read must not stop the job: the read then fails with EIO.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTTIN);
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

Terminal::~Terminal() {
  close_reader();
  if (writer_ >= 0) close(writer_);
  close(terminal_);
}

int Terminal::release_reader() {
  close(std::exchange(writer_, -1));
  return std::exchange(reader_, -1);
}

void Terminal::close_reader() {
  if (reader_ >= 0) close(std::exchange(reader_, -1));
}

bool Terminal::in_foreground() const {
  return tcgetpgrp(terminal_) == getpgrp();
}

pollfd Terminal::wanted() const {
  if (writer_ < 0) return {.fd = -1, .events = 0, .revents = 0};
  if (!typed_.empty()) return {.fd = writer_, .events = POLLOUT, .revents = 0};
  if (in_foreground()) return {.fd = terminal_, .events = POLLIN, .revents = 0};
  return {.fd = writer_, .events = 0, .revents = 0};  // POLLERR reports only that the rank has closed its end
}

int Terminal::wait_ms() const {
  return writer_ >= 0 && !in_foreground() ? look_again_ms : -1;
}

void Terminal::forward(const pollfd& found) {
  if (writer_ < 0 || found.revents == 0) return;
  if (found.fd == terminal_)
    read_typed();
  else if ((found.revents & POLLERR) != 0)
    ended_ = true, typed_.clear();
  write_typed();
}

void Terminal::read_typed() {
  char buffer[4096];
  const ssize_t size = read(terminal_, buffer, sizeof buffer);
  if (size > 0) typed_.assign(buffer, static_cast<size_t>(size));
  // EIO: this process is in the background by now. If there is no terminal any more, EIO is the end of the input.
  else if (size == 0 || (errno != EAGAIN && errno != EINTR && (errno != EIO || tcgetpgrp(terminal_) < 0)))
    ended_ = true;
}

void Terminal::write_typed() {
  if (!typed_.empty()) {
    const ssize_t size = write(writer_, typed_.data(), typed_.size());
    if (size > 0)
      typed_.erase(0, static_cast<size_t>(size));
    else if (errno == EPIPE)
      ended_ = true, typed_.clear();
  }
  if (typed_.empty() && ended_) close(std::exchange(writer_, -1));
}

}  // namespace bowline::launcher
