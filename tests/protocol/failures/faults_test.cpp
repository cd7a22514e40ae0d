// SPDX-License-Identifier: BSD-3-Clause
// The decorator that the random tests rely on does what it says: it refuses, delays and lets senders overtake each
// other, and yet every message arrives once and each sender's in order.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/network.hpp"
#include "support/seed.hpp"
#include "transport/faulty.hpp"

namespace bowline::test {
namespace {

struct Arrivals final : transport::Sink {
  void arrived(int peer, transport::Header header, std::span<const std::byte>, std::span<const std::byte>) override {
    messages.push_back({peer, header.tag});
  }
  void broken(int, const Failure& why) noexcept override { ADD_FAILURE() << why->what(); }
  struct Message {
    int peer;
    int number;
  };
  std::vector<Message> messages;
};

TEST(FaultyDevice, DisturbsOnlyWithinTheContract) {
  constexpr int each = 100;
  for (const std::uint32_t seed : seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    MemoryNetwork network(3, 2 * each, test::Reach::nothing);
    transport::FaultyDevice receiver(network.device(0), seed);
    unsigned refused = 0;
    for (const int sender : {1, 2}) {
      transport::FaultyDevice device(network.device(sender), seed);
      const auto endpoint = device.connect(0, {});
      for (int number = 0; number < each;) {
        if (endpoint->send({.tag = number}, {}, {}) == transport::Post::done) {
          ++number;
        } else {
          ++refused;
        }
      }
    }
    EXPECT_GT(refused, 0U);

    Arrivals arrivals;
    unsigned polls = 0, empty = 0;
    while (arrivals.messages.size() < 2 * each && ++polls < 100'000) {
      const std::size_t before = arrivals.messages.size();
      const unsigned said = receiver.poll(arrivals);
      EXPECT_EQ(said, arrivals.messages.size() - before);
      if (said == 0) ++empty;
    }
    EXPECT_GT(empty, 0U);

    // All of sender 1 had arrived before all of sender 2.
    std::array<int, 3> next{};
    unsigned overtaken = 0;
    for (const auto& [peer, number] : arrivals.messages) {
      EXPECT_EQ(number, next[static_cast<std::size_t>(peer)]++);
      if (peer == 1 && next[2] > 0) ++overtaken;
    }
    EXPECT_EQ(next[1], each);
    EXPECT_EQ(next[2], each);
    EXPECT_GT(overtaken, 0U);
  }
}

}  // namespace
}  // namespace bowline::test
