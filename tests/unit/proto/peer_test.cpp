// SPDX-License-Identifier: BSD-3-Clause
// proto/peer: peers are made at first contact, once, and stay where they are.
#include "proto/peer.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "support/allocations.hpp"

namespace bowline::proto {
namespace {

/// An endpoint over which messages of up to 100 bytes go unasked, and reach nobody.
class Nowhere final : public transport::Endpoint {
 public:
  Nowhere() : Endpoint({.max_body = 100 + sizeof(SendId), .max_prefix = 64}) {}
  transport::Post send(transport::Header, std::span<const std::byte>, std::span<const std::byte>) noexcept override {
    return transport::Post::done;
  }
};

TEST(PeerTable, MakesEachPeerOnceAtFirstContact) {
  constexpr int size = 1000;
  std::map<int, int> made;
  PeerTable peers(size, [&](int rank) {
    ++made[rank];
    return std::make_unique<Peer>(rank, std::make_unique<Nowhere>());
  });
  EXPECT_TRUE(made.empty());
  std::map<int, Peer*> seen;
  for (const int rank : {0, 63, 64, 65, 500, 999}) seen[rank] = &peers[rank];
  for (const auto& [rank, peer] : seen) {
    EXPECT_EQ(peer->rank, rank);
    EXPECT_TRUE(peer->eager(100));
    EXPECT_FALSE(peer->eager(101));
    EXPECT_FALSE(peer->waiting());
    EXPECT_EQ(&peers[rank], peer) << "a peer moved";
    EXPECT_EQ(made[rank], 1);
  }
  EXPECT_EQ(made.size(), seen.size());
}

TEST(PeerTable, AFailedContactIsTriedAgain) {
  bool broken = true;
  PeerTable peers(10, [&](int rank) -> std::unique_ptr<Peer> {
    if (broken) throw Error(ErrorClass::other, "not now");
    return std::make_unique<Peer>(rank, std::make_unique<Nowhere>());
  });
  EXPECT_THROW(peers[3], Error);
  broken = false;
  EXPECT_EQ(peers[3].rank, 3);
}

TEST(PeerTable, MemoryFollowsUseAndNotTheSizeOfTheWorld) {
  const auto make = [](int rank) { return std::make_unique<Peer>(rank, std::make_unique<Nowhere>()); };
  PeerTable peers(1'000'000, make);
  const std::size_t before = test::allocations();
  for (int rank = 0; rank < 10; ++rank) peers[rank];
  EXPECT_LE(test::allocations() - before, 21U);  // a block, and peers with their endpoints
}

}  // namespace
}  // namespace bowline::proto
