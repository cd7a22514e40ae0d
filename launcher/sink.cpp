// SPDX-License-Identifier: BSD-3-Clause
// Writes without blocking, although O_NONBLOCK must not be set on a file description that other programs share.
#include "launcher/sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace bowline::launcher {

Sink::Sink(int fd) : fd_(fd) {
  struct stat info {};
  fstat(fd, &info);
  if (S_ISSOCK(info.st_mode)) {
    kind_ = Kind::socket;
  } else if (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)) {
    // A second file description of the same pipe or terminal may be non-blocking.
    const int own = open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    kind_ = own >= 0 ? Kind::reopened : Kind::careful;
    owned_ = own >= 0;
    if (owned_) fd_ = own;
  } else {
    kind_ = Kind::file;
  }
}

Sink::~Sink() {
  if (owned_) close(fd_);
}

ssize_t Sink::write_some(std::string_view bytes) {
  switch (kind_) {
    case Kind::socket:
      return send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    case Kind::careful: {
      pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
      if (poll(&ready, 1, 0) == 0) return errno = EAGAIN, -1;
      return write(fd_, bytes.data(),
                   std::min<size_t>(bytes.size(), PIPE_BUF));  // a writable pipe takes at least PIPE_BUF bytes
    }
    case Kind::file:
    case Kind::reopened:
      return write(fd_, bytes.data(), bytes.size());
  }
  return -1;
}

void Sink::flush() {
  while (error_ == 0 && !empty()) {
    const ssize_t size = write_some(std::string_view(queue_).substr(written_));
    if (size >= 0)
      written_ += static_cast<size_t>(size);
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      break;
    else if (errno != EINTR)
      error_ = errno;
  }
  if (error_ != 0 || empty()) {
    queue_.clear();
    written_ = 0;
  } else if (written_ > capacity) {
    queue_.erase(0, written_);
    written_ = 0;
  }
}

}  // namespace bowline::launcher
