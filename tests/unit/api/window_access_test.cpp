// SPDX-License-Identifier: BSD-3-Clause
// api/checking: which accesses to a window conflict, and which of them nothing orders.

#include "api/checking/window_access.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "api/checking/own_stores.hpp"

namespace bowline::api::checking {
namespace {

using Kind = WindowAccess::Kind;
using Epoch = WindowAccess::Epoch;

WindowAccess access(int origin, Kind kind, std::uint64_t begin = 0, std::uint64_t end = 4) {
  WindowAccess made;
  made.origin = origin;
  made.kind = kind;
  made.begin = begin;
  made.end = end;
  made.call = static_cast<std::uint32_t>(origin);
  if (made.is_accumulate()) made.op = dtype::Operator::sum;
  return made;
}

WindowAccess with_op(WindowAccess made, dtype::Operator op) {
  made.op = op;
  return made;
}

bool conflict(const WindowAccess& a, const WindowAccess& b) {
  EXPECT_EQ(are_in_conflict(a, b), are_in_conflict(b, a));
  return are_in_conflict(a, b);
}

std::size_t conflicts(const std::vector<WindowAccess>& accesses, const Exposures& exposures = {}) {
  ToldPairs told;
  return find_concurrent_conflicts(accesses, exposures, 100, told).size();
}

TEST(WindowAccess, WritesConflictWithWhatSharesBytes) {
  EXPECT_TRUE(conflict(access(0, Kind::put), access(1, Kind::put)));
  EXPECT_TRUE(conflict(access(0, Kind::put, 0, 5), access(1, Kind::get, 4, 8)));
  EXPECT_TRUE(conflict(access(0, Kind::get), access(1, Kind::accumulate)));
  EXPECT_FALSE(conflict(access(0, Kind::put), access(1, Kind::put, 4, 8)));
  EXPECT_FALSE(conflict(access(0, Kind::get), access(1, Kind::get)));
  EXPECT_FALSE(conflict(access(0, Kind::put), access(1, Kind::unclear, 0, whole_window)));
}

TEST(WindowAccess, AccumulatesConflictIfOperatorOrTypeDiffers) {
  const WindowAccess sum = access(0, Kind::accumulate);
  WindowAccess other = access(1, Kind::accumulate);
  EXPECT_FALSE(conflict(sum, other));
  EXPECT_TRUE(conflict(sum, with_op(other, dtype::Operator::prod)));
  EXPECT_FALSE(conflict(sum, with_op(other, dtype::Operator::no_op)));
  EXPECT_FALSE(conflict(sum, access(1, Kind::swap)));
  EXPECT_FALSE(conflict(sum, with_op(access(0, Kind::accumulate), dtype::Operator::prod)));  // of one origin: ordered
  EXPECT_FALSE(conflict(access(0, Kind::get), with_op(other, dtype::Operator::no_op)));      // both only read
  WindowAccess real = sum;
  real.type = dtype::Signature::real32;
  other.type = dtype::Signature::integer32;
  EXPECT_TRUE(conflict(real, other));
}

TEST(WindowAccess, LocksOrderWhatTheyExcludeAndWhatIsKnown) {
  WindowAccess a = access(0, Kind::put), b = access(1, Kind::put);
  a.epoch = b.epoch = Epoch::lock;
  EXPECT_EQ(conflicts({a, b}), 1U);
  for (bool WindowAccess::*const orders : {&WindowAccess::exclusive, &WindowAccess::informed_since_barrier}) {
    WindowAccess ordered = b;
    ordered.*orders = true;
    EXPECT_EQ(conflicts({a, ordered}), 0U);
  }
  b.barriers = 1;
  EXPECT_EQ(conflicts({a, b}), 0U);
}

TEST(WindowAccess, FencesOrderNothingWithinThem) {
  WindowAccess b = access(1, Kind::put);
  b.informed = b.informed_since_barrier = true;
  EXPECT_EQ(conflicts({access(0, Kind::put), b, access(0, Kind::put)}), 1U);
  EXPECT_EQ(conflicts({access(0, Kind::put), access(0, Kind::put)}), 0U);  // told where they are made
}

TEST(WindowAccess, ExposuresOrderAccesses) {
  WindowAccess a = access(0, Kind::put), b = access(2, Kind::put);
  a.epoch = b.epoch = Epoch::start;
  a.exposure = b.exposure = 1;
  Exposures together, apart;
  together.post({0, 2});
  apart.post({0});
  apart.post({2});
  EXPECT_EQ(conflicts({a, b}, together), 1U);
  EXPECT_EQ(conflicts({a, b}, apart), 0U);
  EXPECT_EQ(conflicts({a, b}), 0U);  // without an exposure nothing is known
}

TEST(WindowAccess, EveryOverlapIsFoundAndToldOnce) {
  std::vector<WindowAccess> accesses{access(0, Kind::put, 0, 100)};
  for (int origin = 1; origin < 6; ++origin) {
    const auto begin = static_cast<std::uint64_t>(origin) * 10;
    accesses.push_back(access(origin, Kind::get, begin, begin + 4));
    accesses.push_back(access(origin, Kind::get, 100, 104));
  }
  ToldPairs told;
  EXPECT_EQ(find_concurrent_conflicts(accesses, {}, 100, told).size(), 5U);
  EXPECT_EQ(find_concurrent_conflicts(accesses, {}, 100, told).size(), 0U);
  told.clear();
  EXPECT_EQ(find_concurrent_conflicts(accesses, {}, 2, told).size(), 2U);
}

TEST(OwnStores, AreFoundUnlessSomethingOrdersThem) {
  const std::array<std::byte, 8> before{};
  std::array<std::byte, 8> now{};
  now[1] = std::byte{1};
  const TargetFacts target{.rank = 1};
  const auto found = [&](const std::vector<WindowAccess>& accesses, const TargetFacts& facts) {
    ToldPairs told;
    return find_own_stores(before, now, accesses, facts, told).size();
  };
  WindowAccess get = access(0, Kind::get);
  EXPECT_EQ(found({get}, target), 1U);
  EXPECT_EQ(found({access(0, Kind::get, 4, 8)}, target), 0U);              // other bytes
  EXPECT_EQ(found({access(1, Kind::get)}, target), 0U);                    // its own
  EXPECT_EQ(found({get, access(2, Kind::accumulate, 0, 2)}, target), 0U);  // somebody else has changed them
  WindowAccess put = access(0, Kind::put);
  put.has_digest = true;
  put.digest = digest_on(digest_start, now.data(), 4);
  EXPECT_EQ(found({put}, target), 0U);
  put.digest = digest_on(digest_start, before.data(), 4);
  EXPECT_EQ(found({put}, target), 1U);
  get.epoch = Epoch::lock;
  EXPECT_EQ(found({get}, target), 1U);
  EXPECT_EQ(found({get}, {.rank = 1, .informed = true}), 0U);
  EXPECT_EQ(found({get}, {.rank = 1, .locked_exclusively = true}), 0U);
  get.informed = true;
  EXPECT_EQ(found({get}, target), 0U);
}

TEST(Digest, MayBeContinued) {
  const std::array<char, 6> text{'a', 'b', 'c', 'd', 'e', 'f'};
  EXPECT_EQ(digest_on(digest_on(digest_start, text.data(), 2), text.data() + 2, 4),
            digest_on(digest_start, text.data(), 6));
}

}  // namespace
}  // namespace bowline::api::checking
