// SPDX-License-Identifier: BSD-3-Clause
// transport/addresses: what was added is found, and bytes that are not of the layout are refused.
#include "transport/addresses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace bowline::transport {
namespace {

Address some_address(std::size_t length) {
  Address address(length);
  for (std::size_t place = 0; place < length; ++place) address[place] = static_cast<std::byte>(7 * place + length);
  return address;
}

void expect_found(const Address& all, const char* network, const Address& expected) {
  const auto found = find_address(all, network);
  ASSERT_TRUE(found.has_value()) << network;
  EXPECT_TRUE(std::ranges::equal(*found, expected)) << network;
}

TEST(Addresses, EachIsFoundByItsName) {
  Address all;
  add_address(all, "verbs", some_address(3));
  add_address(all, "ucx", some_address(70000));
  add_address(all, "none", {});
  expect_found(all, "verbs", some_address(3));
  expect_found(all, "ucx", some_address(70000));
  expect_found(all, "none", {});
  EXPECT_FALSE(find_address(all, "verb").has_value());
  EXPECT_FALSE(find_address(all, "").has_value());
  EXPECT_FALSE(find_address({}, "ucx").has_value());
}

TEST(Addresses, WhatEndsTooEarlyIsRefused) {
  Address all;
  add_address(all, "ucx", some_address(40));
  for (std::size_t length = 1; length < all.size(); ++length) {
    EXPECT_THROW(find_address(std::span(all).first(length), "verbs"), Error) << length;
  }
  EXPECT_FALSE(find_address(all, "verbs").has_value());
}

TEST(Addresses, RandomBytesAreReadWithinTheirBounds) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    Address bytes(random() % 64);
    for (std::byte& each : bytes) each = static_cast<std::byte>(random() % (round % 2 == 0 ? 256 : 8));
    try {
      const auto found = find_address(bytes, "x");
      EXPECT_LE(found.value_or(std::span<const std::byte>()).size(), bytes.size());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace bowline::transport
