// SPDX-License-Identifier: BSD-3-Clause
// transport/striping: the keys of several rails as one.
#include "transport/striping/rail_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "support/heard.hpp"

namespace bowline::transport {
namespace {

using test::Bytes;
using test::pattern;

TEST(RailKeys, WhatIsWrittenIsReadAndOtherBytesAreTheFirstRails) {
  const std::vector<Bytes> keys{pattern(28, 1), {}, pattern(longest_rail_key, 2)};
  Bytes joined = write_rail_keys(keys);
  const RailKeys read = read_rail_keys(joined);
  EXPECT_TRUE(read.joined);
  for (std::size_t i = 0; i < most_rails; ++i)
    EXPECT_TRUE(std::ranges::equal(read.of[i], i < keys.size() ? keys[i] : Bytes())) << i;
  for (std::size_t at = 0; at < joined.size(); ++at) {
    Bytes damaged = joined;
    damaged[at] ^= std::byte{16};
    EXPECT_FALSE(read_rail_keys(damaged).joined) << at;
    EXPECT_TRUE(std::ranges::equal(read_rail_keys(damaged).of[0], damaged));
  }
  for (std::size_t bytes = 0; bytes < joined.size(); ++bytes)
    EXPECT_FALSE(read_rail_keys(std::span(joined).first(bytes)).joined) << bytes;
}

}  // namespace
}  // namespace bowline::transport
