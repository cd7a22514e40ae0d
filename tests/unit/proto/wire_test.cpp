// SPDX-License-Identifier: BSD-3-Clause
// proto/wire: prefixes come back as they were written, from any address.
#include "proto/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "proto/services/address_search.hpp"
#include "proto/services/partitioned.hpp"

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
  EXPECT_EQ(round_trip(SendId{.send_id = ~std::uint64_t{0}}).send_id, ~std::uint64_t{0});
  const auto clear = round_trip(ClearToSend{.send_id = 1, .receive_id = 2, .bytes = 3, .piece = 4, .skip = 5});
  EXPECT_EQ(clear.send_id, 1U);
  EXPECT_EQ(clear.receive_id, 2U);
  EXPECT_EQ(clear.bytes, 3U);
  EXPECT_EQ(clear.piece, 4U);
  EXPECT_EQ(clear.skip, 5U);
  const auto put = round_trip(ClearToPut{.send_id = 6, .receive_id = 7, .bytes = 8, .address = 9});
  EXPECT_EQ(put.send_id, 6U);
  EXPECT_EQ(put.receive_id, 7U);
  EXPECT_EQ(put.bytes, 8U);
  EXPECT_EQ(put.address, 9U);
  const auto placed = round_trip(Placed{.receive_id = 10, .send_id = 11, .written = 12});
  EXPECT_EQ(placed.receive_id, 10U);
  EXPECT_EQ(placed.send_id, 11U);
  EXPECT_EQ(placed.written, 12U);
  const auto piece = round_trip(Data{.receive_id = 4, .offset = 5});
  EXPECT_EQ(piece.receive_id, 4U);
  EXPECT_EQ(piece.offset, 5U);
}

TEST(Wire, KindsKeepTheirNumbers) {
  // Ranks of one job run one version, but a number that moves by accident should be seen.
  EXPECT_EQ(static_cast<int>(Kind::eager), 0);
  EXPECT_EQ(static_cast<int>(Kind::eager_synchronous), 1);
  EXPECT_EQ(static_cast<int>(Kind::ready_to_send), 2);
  EXPECT_EQ(static_cast<int>(Kind::finished), 3);
  EXPECT_EQ(static_cast<int>(Kind::clear_to_send), 4);
  EXPECT_EQ(static_cast<int>(Kind::clear_to_put), 5);
  EXPECT_EQ(static_cast<int>(Kind::data), 6);
  EXPECT_EQ(static_cast<int>(Kind::placed), 7);
  EXPECT_EQ(static_cast<int>(Kind::broken_off), 14);
  EXPECT_EQ(static_cast<int>(Kind::failure), 15);
  EXPECT_EQ(static_cast<int>(PartitionedKind::data), 34);
  EXPECT_EQ(static_cast<int>(PartitionedKind::released), 36);
  EXPECT_EQ(static_cast<int>(address_kind::address), 57);
}

}  // namespace
}  // namespace bowline::proto
