// SPDX-License-Identifier: BSD-3-Clause
// base/profile/message_sizes: which row counts a size.
#include "base/profile/message_sizes.hpp"

#include <gtest/gtest.h>

namespace bowline {
namespace {

TEST(MessageSizes, RowsBeginAtPowersOfTwo) {
  EXPECT_EQ(MessageSizes::row_of(0), 0U);
  EXPECT_EQ(MessageSizes::lower(0), 0U);
  for (std::size_t row = 1; row < MessageSizes::rows; ++row) {
    const std::uint64_t lower = MessageSizes::lower(row);
    EXPECT_EQ(MessageSizes::row_of(lower), row);
    EXPECT_EQ(MessageSizes::row_of(lower - 1), row - 1);
  }
  EXPECT_EQ(MessageSizes::row_of(~std::uint64_t{0}), MessageSizes::rows - 1);
}

}  // namespace
}  // namespace bowline
