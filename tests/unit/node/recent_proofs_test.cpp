// SPDX-License-Identifier: BSD-3-Clause
// node/recent_proofs: a proof holds for its process alone, and for a short time.
#include "node/recent_proofs.hpp"

#include <gtest/gtest.h>

namespace bowline::node {
namespace {

constexpr ProcessMark some{.process = 1234, .address = 0x7f0000001000, .value = 0x123456789abcdef1};
constexpr std::uint32_t now = 5'000;

TEST(RecentProofs, HoldForAShortTime) {
  RecentProofs proofs;
  EXPECT_FALSE(proofs.holds(some, now));
  EXPECT_FALSE(proofs.holds(some, 0)) << "right after the machine has started";
  proofs.note(some, now);
  EXPECT_TRUE(proofs.holds(some, now));
  EXPECT_TRUE(proofs.holds(some, now + RecentProofs::lifetime - 1));
  EXPECT_FALSE(proofs.holds(some, now + RecentProofs::lifetime));
  EXPECT_FALSE(proofs.holds(some, now - 1)) << "the clock never goes back: it has gone round";
}

TEST(RecentProofs, HoldForTheirProcessAlone) {
  RecentProofs proofs;
  proofs.note(some, now);
  ProcessMark other = some;
  other.value ^= 1;
  EXPECT_FALSE(proofs.holds(other, now));
  other = some;
  other.address += 8;
  EXPECT_FALSE(proofs.holds(other, now));
  other = some;
  other.process += 64;
  EXPECT_FALSE(proofs.holds(other, now));
}

TEST(RecentProofs, AnotherProcessTakesThePlace) {
  RecentProofs proofs;
  ProcessMark other = some;
  other.process += 64;
  proofs.note(some, now);
  proofs.note(other, now);
  EXPECT_TRUE(proofs.holds(other, now));
  EXPECT_FALSE(proofs.holds(some, now)) << "it is proved again";
}

}  // namespace
}  // namespace bowline::node
