// SPDX-License-Identifier: BSD-3-Clause
// Two devices of a network in one process, and what hears of their messages: what the tests of every network share.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "support/heard.hpp"
#include "transport/transport.hpp"

namespace bowline::test {

using Clock = std::chrono::steady_clock;
inline constexpr std::chrono::seconds patience{20};

/// `Network` makes devices: Network::Device device(int rank, int processes, const char* host).
template <class Network>
class DevicePair : public testing::Test {
 protected:
  using Device = typename Network::Device;

  static std::unique_ptr<transport::Endpoint> connect(Device& from, int to, const Device& peer) {
    return from.connect(to, peer.address());
  }
  /// Polls both devices until the condition holds.
  template <class Condition>
  void until(Condition condition) {
    const auto deadline = Clock::now() + patience;
    while (!condition()) {
      first.poll(at_first);
      second.poll(at_second);
      ASSERT_LT(Clock::now(), deadline) << "nothing comes any more";
    }
  }
  /// Sends as soon as there is room.
  void send(transport::Endpoint& to, transport::Header header, std::span<const std::byte> prefix,
            std::span<const std::byte> body) {
    until([&] { return to.send_or_keep(header, prefix, body, nullptr) != transport::Post::retry; });
  }

  Network network;
  Device first = network.device(3, 9, "here");
  Device second = network.device(8, 9, "there");
  std::unique_ptr<transport::Endpoint> to_second = connect(first, 8, second);
  Collector at_first;
  Collector at_second;
};

}  // namespace bowline::test
