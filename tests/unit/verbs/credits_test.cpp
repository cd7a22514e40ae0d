// SPDX-License-Identifier: BSD-3-Clause
// verbs: credits never promise more buffers than there are, and nobody waits for ever.
#include "verbs/connection/credits.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "support/seed.hpp"
#include "verbs/connection/peer_credits.hpp"

namespace bowline::verbs {
namespace {

TEST(Credits, APeerGetsAWindowAndItIsFilledUpAgain) {
  CreditPool pool(100, 16);
  Grant grant;
  pool.admit(grant);
  EXPECT_EQ(grant.granted, 16U);
  for (int i = 0; i < 7; ++i) pool.taken(grant);
  EXPECT_EQ(grant.granted, 16U) << "it has more than half of its window";
  pool.taken(grant);
  EXPECT_EQ(grant.granted, 24U);
  EXPECT_EQ(pool.used(), 15U);  // one buffer is its own
}

TEST(Credits, ThePeerIsToldByAMessageOnlyWhenItsRestIsSmall) {
  CreditPool pool(100, 16);
  Grant grant;
  pool.admit(grant);
  grant.told = grant.granted;
  for (int i = 0; i < 11; ++i) {
    pool.taken(grant);
    EXPECT_FALSE(pool.must_tell(grant)) << i;
  }
  pool.taken(grant);
  EXPECT_TRUE(pool.must_tell(grant));
  grant.told = grant.granted;
  EXPECT_FALSE(pool.must_tell(grant));
}

TEST(Credits, EvenWithoutSharedBuffersEachPeerMaySendOneMessage) {
  CreditPool pool(0, 16);
  std::vector<Grant> grants(3);
  for (Grant& grant : grants) {
    pool.admit(grant);
    EXPECT_EQ(grant.outstanding(), 1U);
  }
  grants[1].told = grants[1].granted;
  pool.taken(grants[1]);
  EXPECT_EQ(grants[1].outstanding(), 1U);
  EXPECT_TRUE(pool.must_tell(grants[1]));
}

TEST(Credits, NumbersWrapAround) {
  CreditPool pool(100, 16);
  Grant grant{.taken = 0xffff'fffa, .granted = 0xffff'fffa, .told = 0xffff'fffa};
  pool.admit(grant);
  EXPECT_EQ(grant.outstanding(), 16U);
  for (int i = 0; i < 40; ++i) pool.taken(grant);
  EXPECT_GE(grant.outstanding(), 8U);
  EXPECT_LE(grant.outstanding(), 16U);
  EXPECT_EQ(pool.used(), grant.outstanding() - 1);
}

/// Peers that come, send, and go at random.
TEST(Credits, WhatIsPromisedIsThere) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::uint32_t shared = random() % 200, window = 1 + random() % 64;
    CreditPool pool(shared, window);
    std::vector<Grant> grants;
    for (int round = 0; round < 5000; ++round) {
      if (grants.empty() || random() % 50 == 0) {
        pool.admit(grants.emplace_back());
      } else if (random() % 100 == 0) {
        pool.dismiss(grants.back());
        grants.pop_back();
      } else if (Grant& grant = grants[random() % grants.size()]; grant.outstanding() > 0) {
        pool.taken(grant);
      }
      std::uint32_t promised = 0;
      for (const Grant& grant : grants) {
        ASSERT_GE(grant.outstanding(), 1U);
        ASSERT_LE(grant.outstanding(), window);
        promised += grant.outstanding();
      }
      ASSERT_LE(promised, shared + grants.size());
      ASSERT_EQ(pool.used(), promised - grants.size());
    }
  }
}

TEST(PeerCredits, AMessageOfAnOlderGrantTakesNothingBack) {
  CreditPool pool(100, 16);
  PeerCredits credits(pool);
  EXPECT_FALSE(credits.allows(0)) << "before the handshake";
  credits.start(0xfffffffeU);
  EXPECT_TRUE(credits.allows(0xfffffffdU));
  EXPECT_FALSE(credits.allows(0xfffffffeU));
  credits.allow(3);  // the numbers wrap around
  EXPECT_TRUE(credits.allows(0xfffffffeU));
  credits.allow(1);
  EXPECT_TRUE(credits.allows(1)) << "that message was older";
  EXPECT_FALSE(credits.allows(3));
}

TEST(PeerCredits, APeerThatIsNotAdmittedHasNoPartInThePool) {
  CreditPool pool(100, 16);
  PeerCredits credits(pool);
  EXPECT_FALSE(credits.taken());
  credits.dismiss();
  EXPECT_EQ(pool.peers(), 0U);
  ASSERT_NE(credits.grant_to_admit(), nullptr);
  pool.admit(*credits.grant_to_admit());
  credits.note_admitted();
  EXPECT_EQ(credits.grant_to_admit(), nullptr);
  credits.note_told();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(credits.taken(), i == 11) << i;
  credits.note_told();
  EXPECT_FALSE(credits.must_tell());
  credits.dismiss();
  EXPECT_EQ(pool.peers(), 0U);
  EXPECT_EQ(pool.used(), 0U);
  EXPECT_FALSE(credits.taken());
}

}  // namespace
}  // namespace bowline::verbs
