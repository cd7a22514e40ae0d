// SPDX-License-Identifier: BSD-3-Clause
// See connections.hpp.
#include "launcher/chaos/connections.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "node/pidfd.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;
using node::Descriptor;

/// One end of a connection: a copy of the process's descriptor, and the addresses of both ends as bytes.
struct Socket {
  Descriptor descriptor;
  std::string here, there;
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// The address that `get`, getsockname or getpeername, returns for a socket of the internet; nothing for others.
template <class Get>
std::optional<std::string> address(const Descriptor& socket, Get get) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (get(socket.number(), reinterpret_cast<sockaddr*>(&storage), &length) != 0) return std::nullopt;
  if (storage.ss_family != AF_INET && storage.ss_family != AF_INET6) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(&storage), length);
}

bool is_stream(const Descriptor& socket) {
  int type = 0;
  socklen_t length = sizeof type;
  return getsockopt(socket.number(), SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM;
}

/// The connected sockets of a process. It may close and open some meanwhile.
std::vector<Socket> sockets_of(pid_t process) {
  const Descriptor handle = node::open_process(process);
  if (!handle) fail("pidfd_open");
  std::vector<Socket> sockets;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd")) {
    std::error_code closed;
    if (!fs::read_symlink(entry, closed).native().starts_with("socket:")) continue;
    const std::string name = entry.path().filename();
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    Descriptor copy = node::copy_descriptor_of(handle, number);
    if (!copy && errno == EBADF) continue;
    if (!copy) fail("pidfd_getfd");
    if (!is_stream(copy)) continue;
    auto here = address(copy, getsockname), there = address(copy, getpeername);
    if (here && there) sockets.push_back({std::move(copy), std::move(*here), std::move(*there)});
  }
  return sockets;
}

}  // namespace

std::size_t break_connections(pid_t one, pid_t other) {
  const std::vector<Socket> ours = sockets_of(one), theirs = sockets_of(other);
  std::size_t broken = 0;
  for (const Socket& end : ours) {
    for (const Socket& far_end : theirs) {
      if (end.here != far_end.there || end.there != far_end.here) continue;
      shutdown(end.descriptor.number(), SHUT_RDWR);
      shutdown(far_end.descriptor.number(), SHUT_RDWR);
      ++broken;
    }
  }
  return broken;
}

}  // namespace bowline::launcher
