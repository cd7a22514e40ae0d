// SPDX-License-Identifier: BSD-3-Clause
// Long messages with holes over a transport that sends lists of blocks from where they lie: which pieces go that way,
// and which are copied together first.
#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "blocks.hpp"
#include "support/seed.hpp"

namespace bowline::proto {
namespace {

TEST_F(BlocksTest, LongBlocksGoInPiecesFromWhereTheyLie) {
  Blocks blocks(40, 9'000);
  Request& request = isend(blocks);
  ask(blocks.bytes());
  EXPECT_EQ(received(blocks.bytes()), blocks.gathered());
  for (const auto& posted : device.posted) {
    for (const iovec& run : posted.runs) EXPECT_TRUE(lies_in(blocks, run));
  }
  EXPECT_EQ(device.posted.front().runs.size(), 4U);
  EXPECT_EQ(device.posted.front().runs.back().iov_len, 3'000U);
  EXPECT_EQ(device.posted.size(), 40U * 9'000 / longest_post);
  EXPECT_EQ(listed(), device.posted.size());
  EXPECT_EQ(packed(), 0U);
  EXPECT_FALSE(request.done);
  end_posts();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(BlocksTest, AListHoldsAtLeastAsMuchAsAPackedPiece) {
  Blocks just_enough(100, packed_piece / longest_list);
  Request& first = isend(just_enough);
  ask(just_enough.bytes());
  EXPECT_EQ(received(just_enough.bytes()), just_enough.gathered());
  EXPECT_EQ(listed(), 25U);
  EXPECT_EQ(packed(), 0U);
  end_posts();
  engine.release(first);
  device.sent.clear();
  Blocks too_short(100, packed_piece / longest_list - 1);
  Request& second = isend(too_short);
  ask(too_short.bytes());
  EXPECT_EQ(received(too_short.bytes()), too_short.gathered());
  EXPECT_EQ(packed(), 24U);
  EXPECT_EQ(listed(), 25U + 1U) << "all that is left at the end is one list";
  end_posts();
  EXPECT_TRUE(second.done);
  engine.release(second);
}

TEST_F(BlocksTest, ManyShortBlocksArePacked) {
  Blocks blocks(1'000, 100);
  Request& request = isend(blocks);
  ask(blocks.bytes());
  EXPECT_EQ(received(blocks.bytes()), blocks.gathered());
  EXPECT_TRUE(device.posted.empty());
  EXPECT_EQ(packed(), (blocks.bytes() + packed_piece - 1) / packed_piece);
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(BlocksTest, AReceiverWithLessRoomGetsTheBeginning) {
  for (const std::size_t room : {1U, 8'999U, 9'001U, 33'333U, 60'000U}) {
    device.sent.clear();
    Blocks blocks(12, 9'000);
    Request& request = isend(blocks);
    ask(room);
    Bytes beginning = blocks.gathered();
    beginning.resize(room);
    EXPECT_EQ(received(room), beginning) << room;
    end_posts();
    EXPECT_TRUE(request.done);
    engine.release(request);
  }
}

TEST_F(BlocksTest, APieceThatFailsFailsTheSendOnceNothingIsInFlight) {
  Blocks blocks(8, 10'000);
  Request& request = isend(blocks);
  ask(blocks.bytes());
  ASSERT_EQ(device.posted.size(), 3U);
  const Error gone(ErrorClass::proc_failed, "rank 1 on somewhere is gone");
  device.end_post();
  device.end_post(&gone);
  EXPECT_FALSE(request.done);
  device.end_post(&gone);
  ASSERT_TRUE(request.done);
  EXPECT_STREQ(request.failure->what(), gone.what());
  engine.release(request);
}

TEST_F(BlocksTest, ASendToALostPeerKeepsItsBlocksWhileAListIsInFlight) {
  int room = 3;  // the announcement and two pieces
  device.refuse = [&](int) { return room == 0 || room-- == 0; };
  device.lost = true;
  Blocks blocks(30, 9'000);
  Request& request = isend(blocks);
  ask(blocks.bytes());
  ASSERT_EQ(device.posted.size(), 2U);
  for (int i = 0; i < 10'000; ++i) engine.progress();
  EXPECT_FALSE(engine.outbox().waits_for_room());
  EXPECT_FALSE(request.done);
  end_posts();
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  engine.release(request);
}

TEST_F(BlocksTest, ARandomMessageArrivesWholeThroughATransportThatRefuses) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 40; ++round) {
      device.sent.clear();
      device.delayed = random() % 4 != 0;
      device.refuse = [&](int) { return random() % 3 == 0; };
      constexpr std::size_t longest[] = {200, 3'000, 20'000, 70'000};
      Blocks blocks(random, longest_unasked + 1 + random() % 200'000, longest[random() % 4]);
      Request& request = isend(blocks);
      while (device.sent.empty()) engine.progress();
      const std::size_t room = random() % 3 == 0 ? 1 + random() % blocks.bytes() : blocks.bytes();
      ask(room);
      while (engine.outbox().waits_for_room()) engine.progress();
      Bytes expected = blocks.gathered();
      expected.resize(room);
      EXPECT_EQ(received(room), expected);
      device.refuse = nullptr;
      end_posts();
      EXPECT_TRUE(request.done);
      engine.release(request);
    }
    EXPECT_GT(listed(), 0U);
    EXPECT_GT(packed(), 0U);
  }
}

TEST_F(BlocksTest, APersistentSendStartsAfresh) {
  for (const std::size_t length : {4'500U, 12'000U}) {
    Blocks blocks(3, length);
    Request& send = engine.make_send(1, header(0, 7), buffer(blocks), Mode::standard);
    for (unsigned round = 0; round < 3; ++round) {
      device.sent.clear();
      blocks.fill(round);
      engine.start(send);
      if (blocks.bytes() > longest_unasked) ask(blocks.bytes());
      EXPECT_EQ(blocks.bytes() > longest_unasked ? received(blocks.bytes()) : latest(Kind::eager).body,
                blocks.gathered());
      EXPECT_FALSE(send.done);
      end_posts();
      EXPECT_TRUE(send.done);
      engine.retire(send);
    }
    engine.release(send);
  }
}

}  // namespace
}  // namespace bowline::proto
