// SPDX-License-Identifier: BSD-3-Clause
// Messages with holes that go unasked, over a transport that sends lists of blocks from where they lie: which go that
// way, and which are copied together first; and transports that take no lists.
#include "blocks.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace bowline::proto {
namespace {

TEST_F(BlocksTest, AMessageOfFewBlocksIsSentFromWhereTheyLie) {
  Blocks blocks(longest_list, 5'000);
  Request& request = isend(blocks);
  ASSERT_EQ(device.posted.size(), 1U);
  const std::vector<iovec>& runs = device.posted.front().runs;
  ASSERT_EQ(runs.size(), longest_list);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(runs[i].iov_base, blocks.memory.data() + blocks.list()[i].place);
    EXPECT_EQ(runs[i].iov_len, 5'000U);
  }
  EXPECT_EQ(latest(Kind::eager).body, blocks.gathered());
  EXPECT_EQ(lists(), 1U);
  EXPECT_FALSE(request.done);
  device.end_post();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(BlocksTest, OneBlockMoreAndTheMessageIsPacked) {
  Blocks blocks(longest_list + 1, 4'000);
  Request& request = isend(blocks);
  ASSERT_EQ(device.posted.size(), 1U);
  ASSERT_EQ(device.posted.front().runs.size(), 1U);
  EXPECT_FALSE(lies_in(blocks, device.posted.front().runs.front()));
  EXPECT_EQ(latest(Kind::eager).body, blocks.gathered());
  EXPECT_EQ(lists(), 0U);
  device.end_post();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(BlocksTest, NeighboursCountAsOneBlockAndEmptyOnesAsNone) {
  Blocks blocks({{9'000, 3'000}, {12'000, 4'000}, {500, 0}, {0, 5'000}, {6'000, 0}, {5'000, 1'000}, {7'000, 1}});
  Request& request = isend(blocks);
  ASSERT_EQ(device.posted.size(), 1U);
  EXPECT_EQ(device.posted.front().runs.size(), 3U);
  EXPECT_EQ(latest(Kind::eager).body, blocks.gathered());
  end_posts();
  engine.release(request);
}

TEST_F(BlocksTest, BlocksThatMeetWhereElementsMeetAreOne) {
  constexpr std::size_t length = 4'000;
  constexpr std::size_t elements = longest_list - 1;
  Blocks element({{0, length}, {2 * length, length}});
  Bytes memory = pattern(elements * 3 * length, 5);
  Request& request = engine.isend(1, header(0, 7), {memory.data(), elements, &element.type()});
  ASSERT_EQ(device.posted.size(), 1U);
  EXPECT_EQ(device.posted.front().runs.size(), longest_list);
  EXPECT_EQ(latest(Kind::eager).body.size(), elements * 2 * length);
  end_posts();
  engine.release(request);
}

TEST_F(BlocksTest, ShortMessagesArePackedWhateverTheirBlocks) {
  Blocks short_ones(2, 4'096);
  engine.release(isend(short_ones));
  EXPECT_TRUE(device.posted.empty());
  EXPECT_EQ(latest(Kind::eager).body, short_ones.gathered());
  Blocks longer(2, 4'097);
  Request& request = isend(longer);
  ASSERT_EQ(device.posted.size(), 1U);
  EXPECT_EQ(device.posted.front().runs.size(), 2U);
  EXPECT_EQ(latest(Kind::eager).body, longer.gathered());
  end_posts();
  engine.release(request);
}

TEST_F(BlocksTest, AShortMessageThatHasToWaitIsPackedToo) {
  device.refuse = [](int) { return true; };
  Blocks blocks(2, 3'000);
  Request& request = isend(blocks);
  device.refuse = nullptr;
  engine.progress();
  EXPECT_TRUE(device.posted.empty());
  EXPECT_EQ(latest(Kind::eager).body, blocks.gathered());
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(BlocksTest, AListThatFindsNoRoomIsPostedLater) {
  device.refuse = [](int) { return true; };
  Blocks blocks(3, 8'000);
  Request& request = isend(blocks);
  engine.progress();
  EXPECT_TRUE(device.posted.empty());
  EXPECT_EQ(lists(), 0U);
  device.refuse = nullptr;
  engine.progress();
  ASSERT_EQ(device.posted.size(), 1U);
  EXPECT_EQ(device.posted.front().runs.size(), 3U);
  EXPECT_EQ(lists(), 1U);
  device.end_post();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(BlocksTest, SynchronousMessagesAreCopiedOrAnnounced) {
  Blocks copied(2, 4'500);
  Request& first = isend(copied, Mode::synchronous);
  EXPECT_TRUE(device.posted.empty());
  const Message message = latest(Kind::eager_synchronous);
  EXPECT_EQ(message.body, copied.gathered());
  device.deliver(1, Kind::finished, message.read<SendId>());
  engine.wait(first);
  engine.release(first);
  Blocks announced(2, 10'000);
  Request& second = isend(announced, Mode::synchronous);
  ask(announced.bytes());
  EXPECT_EQ(received(announced.bytes()), announced.gathered());
  end_posts();
  EXPECT_TRUE(second.done);
  engine.release(second);
}

TEST_F(BlocksTest, AFailureIsTheSends) {
  Blocks blocks(3, 8'000);
  Request& request = isend(blocks);
  const Error failure(ErrorClass::proc_failed, "gone");
  device.end_post(&failure);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  engine.release(request);
}

// ---- transports that take no lists

TEST_F(BlocksTest, ATransportWithoutListsGetsPackedData) {
  device.limits.max_iov = 0;
  Blocks unasked(2, 10'000);
  Request& first = isend(unasked);
  ASSERT_EQ(device.posted.size(), 1U);
  EXPECT_FALSE(lies_in(unasked, device.posted.front().runs.front()));
  end_posts();
  engine.release(first);
  Blocks blocks(2, 50'000);
  Request& second = isend(blocks);
  ask(blocks.bytes());
  EXPECT_EQ(received(blocks.bytes()), blocks.gathered());
  EXPECT_TRUE(device.posted.empty());
  EXPECT_EQ(lists() + listed(), 0U);
  engine.release(second);
}

TEST_F(BlocksTest, ATransportThatTakesOneRunGetsPiecesOfOneBlock) {
  device.limits.max_iov = 1;
  Blocks blocks(2, 50'000);
  Request& request = isend(blocks);
  ask(blocks.bytes());
  EXPECT_EQ(received(blocks.bytes()), blocks.gathered());
  EXPECT_EQ(device.posted.size(), 4U);
  EXPECT_EQ(packed(), 0U);
  end_posts();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(BlocksTest, ATransportThatCopiesEverythingGetsPackedPieces) {
  device.limits.max_posted = 0;
  device.limits.eager_limit = transport::never;
  Blocks blocks(3, 20'000);
  Request& request = isend(blocks);
  ask(blocks.bytes());
  EXPECT_EQ(received(blocks.bytes()), blocks.gathered());
  EXPECT_TRUE(device.posted.empty());
  EXPECT_EQ(listed(), 0U);
  EXPECT_TRUE(request.done);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
