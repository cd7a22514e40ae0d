// SPDX-License-Identifier: BSD-3-Clause
// Endpoints that count what they move.
#include "transport/counting.hpp"

#include <gtest/gtest.h>
#include <sys/uio.h>

#include <array>
#include <utility>
#include <vector>

namespace bowline::transport {
namespace {

/// Takes everything, or nothing.
class Taker final : public Endpoint {
 public:
  explicit Taker(bool& takes) : Endpoint(Limits{}), takes_(takes) {}
  Post send(Header, std::span<const std::byte>, std::span<const std::byte>) noexcept override {
    return takes_ ? Post::done : Post::retry;
  }
  std::size_t send_long(Header, std::span<const std::byte>, std::span<const std::byte> body) noexcept override {
    return takes_ ? body.size() / 2 : 0;
  }
  Post post(Header, std::span<const std::byte>, std::span<const iovec>, Operation&) noexcept override {
    return takes_ ? Post::done : Post::retry;
  }
  Access get(const Remote&, std::span<std::byte>, Operation&) override {
    return takes_ ? Access::done : Access::refused;
  }
  Access put(std::span<const std::byte>, const Remote&, Operation&) override {
    return takes_ ? Access::done : Access::refused;
  }
  std::string loss() const override { return "is a test"; }

 private:
  bool& takes_;
};

/// No access is under way when a Taker's functions return.
class NeverBegun final : public Operation {
 public:
  void ended(const Error*) noexcept override { ADD_FAILURE(); }
};

using Totals = std::pair<std::uint64_t, std::uint64_t>;  // sent, fetched

Totals totals(const TrafficCounts& counts) {
  Totals totals;
  counts.for_each([&](const PeerTraffic& each) {
    EXPECT_EQ(each.peer, 7);
    EXPECT_EQ(each.way, "by hand");
    totals.first += each.sent;
    totals.second += each.fetched;
  });
  return totals;
}

TEST(TrafficCounts, CountWhatWasTaken) {
  TrafficCounts counts;
  bool takes = false;
  const auto endpoint = counts.counted(7, "by hand", std::make_unique<Taker>(takes));
  std::array<std::byte, 100> memory{};
  iovec run{.iov_base = memory.data(), .iov_len = 30};
  const std::array runs{run, run};
  NeverBegun operation;
  const auto move = [&] {
    static_cast<void>(endpoint->send({}, {}, memory));
    static_cast<void>(endpoint->send_long({}, {}, memory));
    static_cast<void>(endpoint->post({}, {}, runs, operation));
    static_cast<void>(endpoint->put(std::span(memory).first(9), {}, operation));
    static_cast<void>(endpoint->get({}, std::span(memory).first(4), operation));
  };
  move();
  EXPECT_EQ(totals(counts), Totals(0, 0));
  takes = true;
  move();
  EXPECT_EQ(totals(counts), Totals(100 + 50 + 60 + 9, 4));
  EXPECT_EQ(endpoint->loss(), "is a test");
  counts.for_each([](const PeerTraffic& each) {
    for (std::size_t row = 0; row < each.eager.size(); ++row)
      EXPECT_EQ(each.eager[row], row == MessageSizes::row_of(100) ? 1U : row == MessageSizes::row_of(60) ? 1U : 0U);
  });
}

TEST(TrafficCounts, MessagesThatAreLongerThanAnyRowCountInTheLast) {
  TrafficCounts counts;
  bool takes = true;
  const auto endpoint = counts.counted(7, "by hand", std::make_unique<Taker>(takes));
  const std::vector<std::byte> memory(4 * PeerTraffic::longest_eager);
  EXPECT_EQ(endpoint->send({}, {}, memory), Post::done);
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::done);
  counts.for_each([](const PeerTraffic& each) {
    EXPECT_EQ(each.eager.front(), 1U) << "the empty one";
    EXPECT_EQ(each.eager.back(), 1U);
  });
}

TEST(TrafficCounts, KeepThoseOfEndpointsThatHaveEnded) {
  TrafficCounts counts;
  bool takes = true;
  const std::array<std::byte, 10> memory{};
  for (int i = 0; i < 3; ++i) {
    const auto endpoint = counts.counted(7, "by hand", std::make_unique<Taker>(takes));
    EXPECT_EQ(endpoint->send({}, {}, memory), Post::done);
  }
  EXPECT_EQ(totals(counts), Totals(30, 0));
  EXPECT_EQ(counts.counted(7, "by hand", nullptr), nullptr);
}

}  // namespace
}  // namespace bowline::transport
