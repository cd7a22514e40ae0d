// SPDX-License-Identifier: BSD-3-Clause
// The TCP connections between two processes are broken, and no others.
#include "launcher/chaos/connections.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace bowline::launcher {
namespace {

/// Waits for connections on loopback.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int accepted() const { return accept(socket_, nullptr, nullptr); }
  sockaddr_in address() const {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    return address;
  }

 private:
  int socket_;
};

/// Another process with one connection to this one; it ends when that connection does.
class Neighbour {
 public:
  explicit Neighbour(const Listener& listener) : process_(fork()) {
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      _exit(await_end(listener.address()));
    }
    connection_ = listener.accepted();
  }
  ~Neighbour() { close(connection_); }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

  pid_t process() const { return process_; }
  int connection() const { return connection_; }
  /// How it has ended.
  int status() const {
    int status = -1;
    waitpid(process_, &status, 0);
    return status;
  }

 private:
  /// Keeps none of the descriptors that it has inherited: they may be ends of other connections.
  static int await_end(sockaddr_in address) {
    close_range(STDERR_FILENO + 1, ~0U, 0);
    const int end = ::socket(AF_INET, SOCK_STREAM, 0);
    char byte = 0;
    const bool connected = connect(end, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    return connected && read(end, &byte, 1) == 0 ? 0 : 1;
  }

  pid_t process_;
  int connection_ = -1;
};

bool is_closed(int connection) {
  pollfd end{.fd = connection, .events = POLLIN, .revents = 0};
  return poll(&end, 1, 0) == 1;
}

TEST(Connections, BreakBetweenTwoProcessesOnly) {
  const Listener listener;
  Neighbour broken(listener), kept(listener);
  EXPECT_EQ(break_connections(getpid(), broken.process()), 1U);
  EXPECT_TRUE(is_closed(broken.connection()));
  EXPECT_EQ(broken.status(), 0) << "the other end reads the end of the connection";
  EXPECT_FALSE(is_closed(kept.connection()));
  EXPECT_EQ(break_connections(kept.process(), getpid()), 1U);
  EXPECT_TRUE(is_closed(kept.connection()));
  EXPECT_EQ(kept.status(), 0);
}

TEST(Connections, NoneBetweenProcessesThatHaveNone) {
  const Listener listener;
  Neighbour one(listener), other(listener);
  EXPECT_EQ(break_connections(one.process(), other.process()), 0U);
  EXPECT_EQ(break_connections(getpid(), one.process()), 1U);
  EXPECT_EQ(break_connections(getpid(), other.process()), 1U);
  EXPECT_EQ(one.status(), 0);
  EXPECT_EQ(other.status(), 0);
}

}  // namespace
}  // namespace bowline::launcher
