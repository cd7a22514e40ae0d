// SPDX-License-Identifier: BSD-3-Clause
// Connecting to a port of another process.
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/this_node.hpp"
#include "runtime/jobs/port.hpp"

namespace bowline::runtime {
namespace {

constexpr double longest_attempt = 5;  // seconds for one address, where a firewall may swallow the request

struct FreeList {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};

/// Why an address cannot be reached: an error of the system.
class Unreachable {
 public:
  explicit Unreachable(int error) : error_(error) {}
  std::string text() const { return strerror(error_); }

 private:
  int error_;
};

/// A socket that begins to connect. Throws Unreachable.
Conversation begin_to_connect(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &list) != 0) throw Unreachable(EINVAL);
  const std::unique_ptr<addrinfo, FreeList> owner(list);
  const int descriptor = socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw Unreachable(errno);
  Conversation made(descriptor);
  send_at_once(descriptor);
  if (connect(descriptor, list->ai_addr, list->ai_addrlen) != 0 && errno != EINPROGRESS) throw Unreachable(errno);
  return made;
}

/// Waits until the socket is connected. Throws Unreachable; Error when the wait is over.
void finish_to_connect(const Conversation& made, DescriptorWait& wait) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(longest_attempt);
  while (true) {
    pollfd ready{.fd = made.descriptor(), .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, 0) > 0) break;
    if (wait.is_over() || std::chrono::steady_clock::now() > until) throw Unreachable(ETIMEDOUT);
    wait.rest(made.descriptor(), POLLOUT);
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(made.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) throw Unreachable(error);
}

Conversation reach(const PortName& port, DescriptorWait& wait) {
  const std::vector<std::string> addresses =
      port.node == this_node() ? std::vector<std::string>{"127.0.0.1", "::1"} : port.addresses;
  std::string tried;
  for (const std::string& address : addresses) {
    try {
      Conversation made = begin_to_connect(address, port.port);
      finish_to_connect(made, wait);
      return made;
    } catch (const Unreachable& why) {
      tried += fmt::format("{}{}: {}", tried.empty() ? "" : ", ", address, why.text());
    }
  }
  throw Error(ErrorClass::port,
              fmt::format("the port does not answer ({}): its process has closed it or has ended, or no network leads "
                          "from here to its node",
                          tried.empty() ? "its node has no address outside itself" : tried));
}

}  // namespace

Conversation connect_to(const PortName& port, DescriptorWait& wait) {
  Conversation made = reach(port, wait);
  const Greeting greeting = own_greeting(port.secret);
  Greeting answer;
  try {
    made.send_plain(std::as_bytes(std::span(&greeting, 1)), wait);
    made.receive_plain(std::as_writable_bytes(std::span(&answer, 1)), wait);
  } catch (const Error&) {
    if (wait.is_over()) {
      throw Error(ErrorClass::port, fmt::format("no process has accepted at the port in {} s; the info key timeout of "
                                                "MPI_Comm_connect sets this limit",
                                                wait.limit()));
    }
    throw Error(ErrorClass::port, "the port was closed, or is another one than that of port_name");
  }
  if (const std::string objection = objection_to(answer); !objection.empty()) throw Error(ErrorClass::port, objection);
  return made;
}

}  // namespace bowline::runtime
