// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/call_id.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace bowline::coll {
namespace {

constexpr CallKind kind(Operation::reduce, CallForm::nonblocking);
constexpr CallDetails details{.root = 5, .op = dtype::Operator::prod, .type = dtype::Signature::real64};

TEST(CallId, KeepsWhatItIsMadeOf) {
  constexpr CallId id(kind, details, 300, 77);
  EXPECT_EQ(id.kind(), kind);
  EXPECT_EQ(id.root(), 5);
  EXPECT_EQ(id.op(), dtype::Operator::prod);
  EXPECT_EQ(id.type(), dtype::Signature::real64);
  EXPECT_EQ(id.number(), 300U % 256);
  EXPECT_EQ(id.before(), 77U);
  EXPECT_EQ(id.value() >> CallId::bits, 0U);
  EXPECT_EQ(CallId(kind, {}, 0, 0).root(), -1);
}

TEST(CallId, MatchesTheSameCallWhateverTheTypeIfOneIsNotKnown) {
  constexpr CallId id(kind, details, 1, 2);
  CallDetails bytes = details;
  bytes.type = dtype::Signature::any;
  EXPECT_TRUE(id.matches(id));
  EXPECT_TRUE(id.matches(CallId(kind, bytes, 1, 2)));
  EXPECT_TRUE(id.matches_mark(CallId(kind, bytes, 1, 2).mark()));
  EXPECT_TRUE(id.matches(CallId()));
  EXPECT_TRUE(id.matches_mark(0));
  EXPECT_TRUE(CallId().matches(id));
}

TEST(CallId, MatchesNoOtherCall) {
  constexpr CallId id(kind, details, 1, 2);
  const auto with = [](auto change) {
    CallDetails other = details;
    change(other);
    return CallId(kind, other, 1, 2);
  };
  for (const CallId other :
       {CallId({Operation::reduce, CallForm::blocking}, details, 1, 2), CallId(kind, details, 2, 2),
        CallId(kind, details, 1, 3), with([](CallDetails& each) { each.root = 6; }),
        with([](CallDetails& each) { each.op = dtype::Operator::sum; }),
        with([](CallDetails& each) { each.type = dtype::Signature::real32; })}) {
    EXPECT_FALSE(id.matches(other)) << other.value();
    EXPECT_FALSE(id.matches_mark(other.mark())) << other.value();
  }
}

/// A mark has 5 bits for number, root and operator: neighbouring values differ in them.
TEST(CallId, AMarkTellsCallsApartThatFollowEachOtherOrHaveRootsNearby) {
  for (std::uint32_t number = 0; number < 256; ++number)
    EXPECT_NE(CallId(kind, details, number, 0).mark(), CallId(kind, details, number + 1, 0).mark()) << number;
  for (int root = 0; root < 64; ++root) {
    const CallId id(kind, {.root = root}, 0, 0);
    EXPECT_NE(id.mark(), CallId(kind, {.root = root + 1}, 0, 0).mark()) << root;
  }
}

}  // namespace
}  // namespace bowline::coll
