// SPDX-License-Identifier: BSD-3-Clause
// transport/striping: how transfers are cut, and what happens to parts that fail.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "striped_process.hpp"
#include "support/seed.hpp"

namespace bowline::transport {
namespace {

TEST(Striping, ALongTransferIsCutIntoAlignedPartsAndAShortOneIsNot) {
  Process process(3);
  EXPECT_TRUE(process.gets(from - 1));
  EXPECT_EQ(process.carried(0), Lengths{from - 1});
  EXPECT_EQ(process.rail(1).connections, 0) << "connected before the first long transfer";
  EXPECT_TRUE(process.gets(100'000));
  EXPECT_EQ(process.carried(0), Lengths{9 * 4096});
  EXPECT_EQ(process.carried(1), Lengths{9 * 4096});
  EXPECT_EQ(process.carried(2), Lengths{100'000 - 18 * 4096});
  EXPECT_EQ(process.rail(1).connections, 1);
  EXPECT_TRUE(process.gets(from));
  EXPECT_EQ(process.carried(0), Lengths{4096});
  EXPECT_EQ(process.carried(1), Lengths{4096});
  EXPECT_EQ(process.carried(2), Lengths{from - 8192});
  for (const ScriptedRail* each : process.rails) EXPECT_EQ(each->registered, 0);
}

TEST(Striping, ThereAreNotMorePartsThanAlignedBlocks) {
  Process process(8);
  EXPECT_TRUE(process.gets(3 * 4096 + 1));
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(process.carried(i).size(), i < 4 ? 1U : 0U) << i;
}

TEST(Striping, PutsAreStripedToo) {
  Process process(2);
  const Bytes mine = pattern(50'000, 4);
  Bytes theirs(mine.size());
  Ends ends;
  const Bytes key = process.endpoint->register_memory(theirs);
  EXPECT_EQ(process.endpoint->put(mine, remote(theirs, key), ends), Access::begun);
  process.poll_all();
  EXPECT_EQ(ends.count, 1);
  EXPECT_EQ(theirs, mine);
  EXPECT_EQ(process.carried(1).size(), 1U);
  process.endpoint->deregister(key);
}

TEST(Striping, ATransferEndsOnceWhenItsLastPartHasEnded) {
  Process process(3);
  const Bytes theirs = pattern(90'000, 3);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = process.endpoint->register_memory(theirs);
  process.rail(2).held = true;
  ASSERT_EQ(process.endpoint->get(remote(theirs, key), mine, ends), Access::begun);
  process.poll_all();
  EXPECT_EQ(ends.count, 0);
  process.rail(2).held = false;
  process.poll();  // a rail with parts under way is looked at in every poll
  EXPECT_EQ(ends.count, 1);
  EXPECT_EQ(mine, theirs);
  process.endpoint->deregister(key);
}

TEST(Striping, ADeviceIsDrainedWhenAllRailsAre) {
  Process process(2);
  const Bytes theirs = pattern(90'000, 3);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = process.endpoint->register_memory(theirs);
  process.rail(1).held = true;
  ASSERT_EQ(process.endpoint->get(remote(theirs, key), mine, ends), Access::begun);
  process.poll();
  EXPECT_FALSE(process.device->drained());
  process.rail(1).held = false;
  process.poll();
  EXPECT_TRUE(process.device->drained());
  EXPECT_EQ(ends.count, 1);
  process.endpoint->deregister(key);
}

TEST(Striping, AFailureOfTheFirstRailIsTheTransfersAfterAllPartsHaveEnded) {
  Process process(2);
  const Bytes theirs = pattern(90'000, 3);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = process.endpoint->register_memory(theirs);
  process.rail(0).failing = true;
  process.rail(1).held = true;
  ASSERT_EQ(process.endpoint->get(remote(theirs, key), mine, ends), Access::begun);
  process.poll_all();
  EXPECT_EQ(ends.count, 0) << "the other rail still writes to the memory";
  process.rail(1).held = false;
  process.poll_all();
  EXPECT_EQ(ends.count, 1);
  EXPECT_EQ(ends.failures.size(), 1U);
  process.endpoint->deregister(key);
}

TEST(Striping, WhatFailsOnAFurtherRailIsRepeatedOverTheFirstAndThePeerIsNotLost) {
  Process process(3);
  process.rail(1).failing = true;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0), (Lengths{32'768, 32'768}));
  EXPECT_EQ(process.carried(1), Lengths{32'768});
  EXPECT_EQ(process.carried(2), Lengths{90'000 - 2 * 32'768});
  process.rail(1).failing = false;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0), Lengths{45'056});
  EXPECT_EQ(process.carried(1), Lengths{}) << "it has failed for this peer";
  EXPECT_EQ(process.carried(2), Lengths{90'000 - 45'056});
  EXPECT_FALSE(process.endpoint->lost());
  EXPECT_EQ(process.device->lost_peers(), 0U);
  process.endpoint = process.device->connect(2, process.device->address());
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(1).size(), 1U) << "it serves other peers";
}

TEST(Striping, WhatAFurtherRailDoesNotBeginGoesOverTheFirst) {
  Process process(2);
  process.rail(1).refusing = true;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0).size(), 2U);
  process.rail(1).refusing = false;
  process.rail(1).throwing = true;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0).size(), 2U);
  process.rail(1).throwing = false;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0), Lengths{90'000});
}

TEST(Striping, WhatTheFirstRailRefusesIsRefusedAndNothingIsUnderWay) {
  Process process(2);
  const Bytes theirs = pattern(90'000, 3);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = process.endpoint->register_memory(theirs);
  process.rail(0).refusing = true;
  EXPECT_EQ(process.endpoint->get(remote(theirs, key), mine, ends), Access::refused);
  process.rail(0).throwing = true;
  EXPECT_THROW(static_cast<void>(process.endpoint->get(remote(theirs, key), mine, ends)), Error);
  EXPECT_TRUE(process.device->drained());
  process.poll_all();
  EXPECT_EQ(ends.count, 0);
  process.endpoint->deregister(key);
}

TEST(Striping, ThePeerIsLostWithItsFirstRail) {
  Process process(2);
  EXPECT_TRUE(process.gets(90'000));
  process.rail(1).lost = true;
  EXPECT_FALSE(process.endpoint->lost());
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(1).size(), 1U) << "a lost rail was used";
  process.rail(0).lost = true;
  EXPECT_TRUE(process.endpoint->lost());
  EXPECT_EQ(process.device->lost_peers(), 1U);
}

/// Random transfers while rails fail, come and go; all data must arrive, and all transfers must end.
TEST(Striping, WithRandomFaultsAllDataArrive) {
  for (const auto seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Process process(4);
    for (int round = 0; round < 300; ++round) {
      if (round % 20 == 0) process.endpoint = process.device->connect(round + 10, process.device->address());
      for (std::size_t i = 1; i < 4; ++i) {
        ScriptedRail& rail = process.rail(i);
        rail.failing = random() % 16 == 0;
        rail.throwing = random() % 16 == 0;
        rail.refusing = random() % 8 == 0;
        rail.connecting = random() % 4 != 0;
        rail.registering = random() % 4 != 0;
      }
      ASSERT_TRUE(process.gets(random() % 200'000 + 1)) << "round " << round;
      for (const ScriptedRail* each : process.rails) ASSERT_EQ(each->registered, 0);
    }
    EXPECT_GT(process.carried(1).size(), 20U);
  }
}

}  // namespace
}  // namespace bowline::transport
