// SPDX-License-Identifier: BSD-3-Clause
// runtime/networks: which of several networks serves a peer.
#include "runtime/networks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "transport/addresses.hpp"
#include "transport/descriptor_sleeper.hpp"

namespace bowline::runtime {
namespace {

/// Tells by its limits which device made it.
class MarkedEndpoint final : public transport::Endpoint {
 public:
  explicit MarkedEndpoint(std::size_t mark) : Endpoint({.max_body = mark}) {}
  transport::Post send(transport::Header, std::span<const std::byte>, std::span<const std::byte>) noexcept override {
    return transport::Post::retry;
  }
};

class MarkedDevice final : public transport::Device {
 public:
  explicit MarkedDevice(std::size_t mark) : mark_(mark) {}
  std::string_view name() const override { return "marked"; }
  transport::Address address() const override { return transport::Address(mark_, std::byte{1}); }
  std::unique_ptr<transport::Endpoint> connect(int, const transport::Address& address) override {
    EXPECT_EQ(address.size(), mark_);  // that of the peer's device of the same network
    return std::make_unique<MarkedEndpoint>(mark_);
  }
  bool reaches(std::span<const std::byte> address) const override { return address[0] == std::byte{1}; }
  unsigned poll(transport::Sink&) noexcept override { return 0; }
  unsigned lost_peers() const noexcept override { return mark_ == 2 ? 1 : 0; }

 private:
  std::size_t mark_;
};

template <std::size_t Mark>
class MarkedNetwork final : public transport::Network {
 public:
  std::unique_ptr<transport::Device> make_device(int, int, const std::string&) override {
    return std::make_unique<MarkedDevice>(Mark);
  }
  bool through_kernel() const noexcept override { return Mark == 2; }
};

template <std::size_t Mark>
std::unique_ptr<transport::Network> make_marked(unsigned, transport::Reach) {
  return std::make_unique<MarkedNetwork<Mark>>();
}

std::unique_ptr<transport::Network> fail(unsigned, transport::Reach) {
  throw Error(ErrorClass::other, "no such adapter");
}

transport::Limits no_limits() noexcept {
  return {};
}

constexpr transport::NetworkKind first{"first", make_marked<1>, no_limits};
constexpr transport::NetworkKind second{"second", make_marked<2>, no_limits};
constexpr transport::NetworkKind broken{"broken", fail, no_limits};

class NetworksOfAProcess : public testing::Test {
 protected:
  Networks make(std::span<const transport::NetworkKind> kinds) {
    return Networks(kinds, transport::Reach::other_nodes, 2, 0, 2, "host", sleeper);
  }
  static std::size_t mark(Networks& mine, const transport::Address& addresses) {
    return mine.connect(1, 1, addresses)->limits().max_body;
  }
  transport::DescriptorSleeper sleeper;
};

TEST_F(NetworksOfAProcess, TheFirstThatBothHaveServesAPeer) {
  Networks both = make(std::array{first, second});
  Networks one = make(std::array{second});
  EXPECT_EQ(mark(both, both.address(1)), 1U);
  EXPECT_EQ(mark(both, one.address(1)), 2U);
  EXPECT_EQ(mark(one, both.address(1)), 2U);
  EXPECT_TRUE(both.through_kernel());
  EXPECT_TRUE(both.lost_peers());
  Networks fast = make(std::array{first});
  EXPECT_FALSE(fast.through_kernel());
  EXPECT_FALSE(fast.lost_peers());
}

TEST_F(NetworksOfAProcess, OneThatDoesNotReachThePeerIsPassedOver) {
  Networks both = make(std::array{first, second});
  transport::Address addresses;
  transport::add_address(addresses, "first", transport::Address(1, std::byte{9}));
  EXPECT_THROW(mark(both, addresses), Error);
  transport::add_address(addresses, "second", transport::Address(2, std::byte{1}));
  EXPECT_EQ(mark(both, addresses), 2U);
}

TEST_F(NetworksOfAProcess, WhoHasNoneInCommonIsToldWhichThereAre) {
  Networks mine = make(std::array{first});
  Networks other = make(std::array{second});
  try {
    mine.connect(0, 1, other.address(0));
    FAIL() << "connected";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("rank 1 has none of the networks of this rank (first)"),
              std::string_view::npos)
        << error.what();
  }
}

TEST_F(NetworksOfAProcess, OneThatCannotBeUsedIsLeftOut) {
  Networks mine = make(std::array{broken, second});
  EXPECT_EQ(mark(mine, mine.address(1)), 2U);
  EXPECT_FALSE(transport::find_address(mine.address(0), "broken").has_value());
}

TEST_F(NetworksOfAProcess, WithoutAnyTheReasonIsTold) {
  try {
    make(std::array{broken});
    FAIL() << "there is one";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no such adapter");
  }
}

}  // namespace
}  // namespace bowline::runtime
