// SPDX-License-Identifier: BSD-3-Clause
// Connections by which nodes watch each other. That a node is silent shows only where a link can be cut: see
// tests/cluster/survival_test.py.
#include "runtime/node_watch/keepalive.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "runtime/node_watch/node_watch.hpp"

namespace bowline::runtime {
namespace {

using State = Keepalive::State;
const std::string loopback = "127.0.0.1";  // not among the addresses of the node, so it counts as another node's

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// What is known once the state is no longer `before`, or after ten seconds.
State await_change(Keepalive& connection, State before) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (connection.look() == before && std::chrono::steady_clock::now() < until) sched_yield();
  return connection.look();
}

TEST(KeepaliveAddress, IsReadAsItWasWritten) {
  const KeepaliveAddress written{.port = 40123, .hosts = {"10.0.0.7", "fd00::7"}};
  const KeepaliveAddress read = KeepaliveAddress::read(written.bytes());
  EXPECT_EQ(read.port, written.port);
  EXPECT_EQ(read.hosts, written.hosts);
  EXPECT_TRUE(KeepaliveAddress::read(bytes_of("7")).hosts.empty());
}

TEST(KeepaliveAddress, RefusesWhatIsNone) {
  for (const char* text : {"", " 10.0.0.7", "port 10.0.0.7", "70000 10.0.0.7", "-1"})
    EXPECT_THROW(KeepaliveAddress::read(bytes_of(text)), Error) << text;
}

TEST(Keepalive, IsAnsweredByTheKernelUntilTheListenerEnds) {
  std::optional<KeepaliveListener> listener(std::in_place);
  Keepalive connection(loopback, listener->address().port, std::chrono::seconds(2));
  EXPECT_EQ(await_change(connection, State::connecting), State::answers);
  listener.reset();
  EXPECT_EQ(await_change(connection, State::answers), State::closed);
}

TEST(Keepalive, SaysNothingAboutTheNodeWhereNobodyListens) {
  std::uint16_t port = 0;
  {
    const KeepaliveListener listener;
    port = listener.address().port;
  }
  Keepalive connection(loopback, port, std::chrono::seconds(2));
  EXPECT_EQ(await_change(connection, State::connecting), State::closed);
  EXPECT_THROW(Keepalive("no address", port, std::chrono::seconds(2)), Error);
}

/// A process of another node, which sees whether it is watched.
class Watched {
 public:
  Watched() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    listen(listener_, 1);
    socklen_t size = sizeof address_;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address_), &size);
  }
  ~Watched() {
    if (connection_ >= 0) close(connection_);
    close(listener_);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  std::vector<std::byte> address() const {
    return KeepaliveAddress{.port = ntohs(address_.sin_port), .hosts = {loopback}}.bytes();
  }
  bool is_watched() {
    if (connection_ < 0) connection_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    return connection_ >= 0;
  }

 private:
  int listener_, connection_ = -1;
  sockaddr_in address_{};
};

/// Whether the process is watched before ten seconds are over.
bool comes_to_watch(NodeWatch& watch, Watched& process) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!process.is_watched() && std::chrono::steady_clock::now() < until) EXPECT_FALSE(watch.look());
  return process.is_watched();
}

TEST(NodeWatch, GoesOnToAnotherProcessOfTheNodeWhenOneEnds) {
  NodeWatch watch;
  std::optional<Watched> first(std::in_place);
  Watched second;
  watch.add(1, first->address());
  watch.add(2, second.address());
  EXPECT_TRUE(comes_to_watch(watch, *first));
  EXPECT_FALSE(second.is_watched());
  first.reset();
  EXPECT_TRUE(comes_to_watch(watch, second));
  EXPECT_FALSE(watch.is_silent(1));
  EXPECT_FALSE(watch.is_silent(2));
  EXPECT_FALSE(watch.is_silent(3));
}

}  // namespace
}  // namespace bowline::runtime
