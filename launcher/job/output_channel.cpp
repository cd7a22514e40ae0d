// SPDX-License-Identifier: BSD-3-Clause
// See output_channel.hpp.
#include "launcher/job/output_channel.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// Opens the descriptor for writing only: a program that reads from its standard output gets an error and does not
/// wait.
int open_rank_side(int reader) {
  constexpr int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC;
  if (unlockpt(reader) != 0) return -1;
  if (const int writer = ioctl(reader, TIOCGPTPEER, flags); writer >= 0) return writer;
  char path[64];  // Linux before 4.13
  if (const int error = ptsname_r(reader, path, sizeof path); error != 0) return errno = error, -1;
  return open(path, flags);
}

bool make_raw(int writer) {
  termios settings{};
  if (tcgetattr(writer, &settings) != 0) return false;
  cfmakeraw(&settings);
  return tcsetattr(writer, TCSANOW, &settings) == 0;
}

}  // namespace

OutputChannel open_pipe(int rank) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw LaunchError("cannot start rank {}: pipe: {}; raise the limit on open files (ulimit -n)", rank,
                      strerror(errno));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {.reader = ends[0], .writer = ends[1], .terminal = false};
}

OutputChannel open_terminal(int rank, std::string& reason) {
  const int reader = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  const int writer = reader < 0 ? -1 : open_rank_side(reader);
  if (writer >= 0 && make_raw(writer)) return {.reader = reader, .writer = writer, .terminal = true};
  reason = strerror(errno);
  if (writer >= 0) close(writer);
  if (reader >= 0) close(reader);
  return open_pipe(rank);
}

ssize_t read_channel(int reader, std::span<char> buffer) {
  constexpr ssize_t most_of_a_piece = 2048;  // if fewer bytes came, there are hardly more
  size_t filled = 0;
  ssize_t size = 0;
  do {
    size = read(reader, buffer.data() + filled, buffer.size() - filled);
    if (size > 0) filled += static_cast<size_t>(size);
  } while (size >= most_of_a_piece && filled < buffer.size());
  return filled > 0 ? static_cast<ssize_t>(filled) : size;
}

}  // namespace bowline::launcher
