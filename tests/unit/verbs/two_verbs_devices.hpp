// SPDX-License-Identifier: BSD-3-Clause
// Two verbs devices of one process on the simulated fabric, and what hears of their messages.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "support/heard.hpp"
#include "support/setting.hpp"
#include "verbs/verbs_adapter.hpp"
#include "verbs/verbs_device.hpp"
#include "verbs/verbs_endpoint.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

using test::Arrival;
using test::Bytes;
using test::Collector;
using test::Ends;
using test::pattern;
using transport::Access;
using transport::Header;
using transport::Post;
using Clock = std::chrono::steady_clock;

inline constexpr std::chrono::seconds patience{20};

/// A fabric of this process alone: the links of others fail in their tests.
inline const int own_fabric = setenv("FABRIC_ID", ("unit-verbs-" + std::to_string(getpid())).c_str(), 1);

class Verbs : public testing::Test {
 protected:
  static std::unique_ptr<transport::Endpoint> connect(VerbsDevice& from, int to, const VerbsDevice& peer) {
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
  void send(transport::Endpoint& to, Header header, std::span<const std::byte> prefix,
            std::span<const std::byte> body) {
    until([&] { return to.send(header, prefix, body) == Post::done; });
  }

  Adapter adapter{survey_ports().front()};
  VerbsDevice first{adapter, 3, 9, "here"};
  VerbsDevice second{adapter, 8, 9, "there"};
  std::unique_ptr<transport::Endpoint> to_second = connect(first, 8, second);
  Collector at_first;
  Collector at_second;
};

}  // namespace bowline::verbs
