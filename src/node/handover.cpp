// SPDX-License-Identifier: BSD-3-Clause
#include "node/handover.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/random_source.hpp"
#include "node/handover_socket.hpp"
#include "node/host.hpp"

namespace bowline::node {
namespace {

// A stopped owner, for instance in a debugger, does not answer.
constexpr timeval patience{.tv_sec = 20, .tv_usec = 0};

std::string path_of(const Ticket& ticket) {
  return fmt::format("/proc/{}/fd/{}", ticket.process, ticket.descriptor);
}

/// Opens a file in /proc. Checks the file's kind first, because opening a device or a terminal may have effects.
Descriptor open_in_proc(const std::string& path, std::string& why) {
  struct stat file {};
  if (stat(path.c_str(), &file) == 0) {
    if (S_ISREG(file.st_mode) || S_ISFIFO(file.st_mode)) {
      Descriptor opened(open(path.c_str(), O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
      if (opened.number() < 0) why = std::strerror(errno);
      return opened;
    }
    why = "it is neither a file nor a pipe";
  } else {
    why = std::strerror(errno);
  }
  return {};
}

/// Whether /proc has the process ids of this process's pid namespace.
bool shows_own_namespace() {
  std::array<char, 16> self{};
  return readlink("/proc/self", self.data(), self.size() - 1) > 0 && std::to_string(getpid()) == self.data();
}

/// Receives the descriptor in the owner's answer; none if there is no answer.
Descriptor receive(int connection) {
  std::byte word{};
  iovec data{&word, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  ssize_t got = 0;
  do {
    got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const control = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (control == nullptr || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) return {};
  int number = -1;
  std::memcpy(&number, CMSG_DATA(control), sizeof number);
  return Descriptor(number);
}

/// Connects to the owner's socket, in the job's folder or in the abstract namespace. Returns false and sets errno if
/// there is none.
bool connect_to(std::uint64_t name, int connection) {
  if (const auto place = UnixSocketAddress::in_folder(name)) {
    if (connect(connection, place->get(), place->size()) == 0) return true;
  }
  const UnixSocketAddress address(name);
  return connect(connection, address.get(), address.size()) == 0;
}

/// Requests the descriptor from the owner; the result has none if the owner does not answer.
Taken ask(const Ticket& ticket, std::string& why) {
  Taken taken;
  if (ticket.socket == 0) {
    why = "it has no socket";
    return taken;
  }
  Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  setsockopt(connection.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(connection.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (!connect_to(ticket.socket, connection.number())) {
    why = std::strerror(errno);
    return taken;
  }
  const SocketPeer owner = other_end(connection.number());
  if (!owner.same_user) {
    why = "another user has it";
    return taken;
  }
  if (send(connection.number(), &ticket.secret, sizeof ticket.secret, MSG_NOSIGNAL) != sizeof ticket.secret) {
    why = std::strerror(errno);
    return taken;
  }
  taken.descriptor = receive(connection.number());
  if (taken.descriptor.number() < 0) {
    why = "it does not answer";
    return taken;
  }
  taken.process = owner.process;
  taken.connection = std::move(connection);
  return taken;
}

}  // namespace

std::uint64_t make_secret() {
  return random_bits();
}

Handover::Handover(int descriptor, std::uint64_t secret)
    : ticket_{getpid(), descriptor, offer_descriptor(secret, descriptor), secret} {}

Handover::~Handover() {
  if (ticket_.socket != 0) withdraw_descriptor(ticket_.secret);
}

Descriptor take_from_proc(const Ticket& ticket, const std::function<bool(int)>& accepts) {
  std::string why;
  Descriptor opened = open_in_proc(path_of(ticket), why);
  return opened.number() >= 0 && accepts(opened.number()) ? std::move(opened) : Descriptor();
}

bool released_in_proc(const Ticket& ticket, const std::function<bool(int)>& accepts) {
  if (!shows_own_namespace()) return false;
  const std::string path = path_of(ticket);
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return errno == ENOENT;
  if (!S_ISREG(file.st_mode) && !S_ISFIFO(file.st_mode)) return true;
  std::string why;
  const Descriptor opened = open_in_proc(path, why);
  return opened.number() >= 0 && !accepts(opened.number());
}

Taken take(const Ticket& ticket, const std::function<bool(int)>& accepts) {
  const std::string path = path_of(ticket);
  std::string in_proc = "it is something else";
  Descriptor opened = open_in_proc(path, in_proc);
  if (opened.number() >= 0 && accepts(opened.number())) return {std::move(opened), ticket.process, {}};
  std::string by_socket = "it gives something else";
  Taken taken = ask(ticket, by_socket);
  if (taken.descriptor.number() >= 0 && accepts(taken.descriptor.number())) return taken;
  throw Error(ErrorClass::other,
              fmt::format("process {} on {} cannot hand over what it has opened: {}: {}; asked through a socket: {}; "
                          "both processes must run as the same user, and see the same /proc, the same network "
                          "namespace or mpiexec's folder (BOWLINE_JOB_FOLDER)",
                          ticket.process, host_name(), path, in_proc, by_socket));
}

}  // namespace bowline::node
