// SPDX-License-Identifier: BSD-3-Clause
// Connections by which nodes watch each other. That a node is silent shows only where a link can be cut: see
// tests/cluster/survival_test.py.
#include "runtime/node_watch/keepalive.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

TEST(NodeWatch, DoesNotTakeTheEndOfAProcessForSilence) {
  NodeWatch watch;
  std::optional<KeepaliveListener> first(std::in_place);
  const KeepaliveListener second;
  watch.add(1, KeepaliveAddress{.port = first->address().port, .hosts = {loopback}}.bytes());
  watch.add(2, KeepaliveAddress{.port = second.address().port, .hosts = {loopback}}.bytes());
  EXPECT_FALSE(watch.look());
  first.reset();
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);  // several looks
  while (std::chrono::steady_clock::now() < until) EXPECT_FALSE(watch.look());
  EXPECT_FALSE(watch.is_silent(1));
  EXPECT_FALSE(watch.is_silent(2));
  EXPECT_FALSE(watch.is_silent(3));
}

}  // namespace
}  // namespace bowline::runtime
