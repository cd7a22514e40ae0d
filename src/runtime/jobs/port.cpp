// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/port.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/this_node.hpp"

namespace bowline::runtime {
namespace {

using namespace std::chrono_literals;

constexpr auto time_to_greet = 10s;

[[noreturn]] void cannot_open(const char* step) {
  throw Error(ErrorClass::port, fmt::format("no port can be opened: {}: {}", step, strerror(errno)));
}

/// A socket that listens for IPv6 and IPv4, or for IPv4 where there is no IPv6.
int listening_socket() {
  for (const int family : {AF_INET6, AF_INET}) {
    const int descriptor = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) continue;
    constexpr int off = 0;
    if (family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (listen(descriptor, SOMAXCONN) == 0) return descriptor;  // the kernel chooses a port
    close(descriptor);
  }
  cannot_open("no socket listens");
}

std::uint16_t port_of(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) cannot_open("getsockname");
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

Port::Port() {
  listener_ = listening_socket();
  name_ = {.node = this_node(), .port = port_of(listener_), .secret = {}, .addresses = addresses_of_this_node()};
  if (getrandom(name_.secret.data(), name_.secret.size(), 0) != static_cast<ssize_t>(name_.secret.size()))
    cannot_open("getrandom");
  name_ = PortName::read(name_.text());  // without the addresses for which a name has no room
}

Port::~Port() {
  ::close(listener_);
}

Conversation Port::accept(DescriptorWait& wait) {
  std::vector<pollfd> descriptors;
  while (true) {
    if (std::optional<Conversation> found = try_accept()) return *std::move(found);
    if (wait.is_over()) {
      throw Error(ErrorClass::port, fmt::format("no process has connected to the port in {} s; the info key timeout "
                                                "of MPI_Comm_accept sets this limit",
                                                wait.limit()));
    }
    descriptors.clear();
    add_to(descriptors);
    wait.rest(descriptors);
  }
}

std::optional<Conversation> Port::try_accept() {
  if (closed_) throw Error(ErrorClass::port, "the port was closed while this call waited for a process to connect");
  const std::lock_guard hold(mutex_);
  admit();
  for (Guest& each : guests_) {
    if (each.state == Guest::State::greeting) listen_to(each);
  }
  std::erase_if(guests_, [](const Guest& each) { return each.state == Guest::State::unwelcome; });
  const auto welcome =
      std::ranges::find_if(guests_, [](const Guest& each) { return each.state == Guest::State::welcome; });
  if (welcome == guests_.end()) return {};
  std::optional<Conversation> found(std::move(welcome->conversation));
  guests_.erase(welcome);
  return found;
}

void Port::add_to(std::vector<pollfd>& descriptors) {
  const std::lock_guard hold(mutex_);
  descriptors.push_back({.fd = listener_, .events = POLLIN, .revents = 0});
  for (const Guest& each : guests_)
    descriptors.push_back({.fd = each.conversation.descriptor(), .events = POLLIN, .revents = 0});
}

/// Accepts the TCP connections that have arrived.
void Port::admit() {
  while (true) {
    const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return;
    send_at_once(descriptor);
    guests_.push_back({.conversation = Conversation(descriptor), .until = Clock::now() + time_to_greet});
  }
}

/// Hears as much of a guest's greeting as has arrived, and answers it if it names the secret.
void Port::listen_to(Guest& guest) const noexcept {
  const auto bytes = std::as_writable_bytes(std::span(&guest.greeting, 1)).subspan(guest.received);
  const ssize_t received = recv(guest.conversation.descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (received > 0) guest.received += static_cast<std::size_t>(received);
  if (guest.received < sizeof guest.greeting) {
    const bool goes_on = received > 0 || (received < 0 && (errno == EAGAIN || errno == EINTR));
    if (!goes_on || Clock::now() > guest.until) guest.state = Guest::State::unwelcome;
    return;
  }
  guest.state = Guest::State::unwelcome;
  if (guest.greeting.magic != Greeting().magic || !std::ranges::equal(guest.greeting.token, name_.secret)) return;
  const Greeting answer = own_greeting(name_.secret);
  // An empty socket has room for the answer. From the answer the other process, too, sees what is to be objected.
  const ssize_t sent = send(guest.conversation.descriptor(), &answer, sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(sizeof answer) && objection_to(guest.greeting).empty())
    guest.state = Guest::State::welcome;
}

std::string Ports::open() {
  auto port = std::make_shared<Port>();
  std::string name = port->name().text();
  const std::lock_guard hold(mutex_);
  open_.push_back(std::move(port));
  return name;
}

std::shared_ptr<Port> Ports::find(std::string_view name) const {
  const PortName wanted = PortName::read(name);
  const std::lock_guard hold(mutex_);
  const auto found = std::ranges::find_if(open_, [&](const auto& each) { return each->name() == wanted; });
  if (found != open_.end()) return *found;
  throw Error(ErrorClass::port,
              "port_name names a port that is not open in this process: give the name that "
              "MPI_Open_port has returned here and MPI_Close_port has not closed");
}

void Ports::close(std::string_view name) {
  const std::shared_ptr<Port> closed = find(name);
  closed->close();
  const std::lock_guard hold(mutex_);
  std::erase(open_, closed);
}

void Ports::close_all() {
  const std::lock_guard hold(mutex_);
  for (const std::shared_ptr<Port>& each : open_) each->close();
  open_.clear();
}

}  // namespace bowline::runtime
