// SPDX-License-Identifier: BSD-3-Clause
// proto/wire: prefixes come back as they were written, from any address.
#include "proto/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace bowline::proto {
namespace {

/// Writes and reads back, from an address that is aligned for nothing.
template <class T>
T round_trip(const T& value) {
  std::array<std::byte, 64> memory{};
  const auto bytes = as_prefix(value);
  EXPECT_EQ(bytes.size(), sizeof(T));
  EXPECT_LE(bytes.size(), max_prefix);
  std::ranges::copy(bytes, memory.begin() + 1);
  return read_prefix<T>(std::span(memory).subspan(1));
}

TEST(Wire, PrefixesComeBack) {
  const auto offer =
      round_trip(ReadyToSend{.address = 0x1122334455667788, .bytes = std::uint64_t{1} << 40, .send_id = 3});
  EXPECT_EQ(offer.address, 0x1122334455667788U);
  EXPECT_EQ(offer.bytes, std::uint64_t{1} << 40);
  EXPECT_EQ(offer.send_id, 3U);
  EXPECT_EQ(round_trip(Finished{.send_id = ~std::uint64_t{0}}).send_id, ~std::uint64_t{0});
  const auto clear = round_trip(ClearToSend{.send_id = 1, .receive_id = 2, .bytes = 3});
  EXPECT_EQ(clear.send_id, 1U);
  EXPECT_EQ(clear.receive_id, 2U);
  EXPECT_EQ(clear.bytes, 3U);
  const auto piece = round_trip(Data{.receive_id = 4, .offset = 5});
  EXPECT_EQ(piece.receive_id, 4U);
  EXPECT_EQ(piece.offset, 5U);
}

TEST(Wire, KindsKeepTheirNumbers) {
  // Ranks of one job run one version, but a number that moves by accident should be seen.
  EXPECT_EQ(static_cast<int>(Kind::eager), 0);
  EXPECT_EQ(static_cast<int>(Kind::ready_to_send), 1);
  EXPECT_EQ(static_cast<int>(Kind::finished), 2);
  EXPECT_EQ(static_cast<int>(Kind::clear_to_send), 3);
  EXPECT_EQ(static_cast<int>(Kind::data), 4);
}

}  // namespace
}  // namespace bowline::proto
