// SPDX-License-Identifier: BSD-3-Clause
// Long messages whose receive buffer has holes, over adapters that read the sender's memory: few long blocks are read
// one by one, other data come in pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "recording.hpp"
#include "support/blocks.hpp"
#include "support/seed.hpp"

namespace bowline::proto {
namespace {

using test::Blocks;

constexpr std::size_t shortest_read = 8'000;

class GetBlocks : public ProtocolTest {
 protected:
  GetBlocks() {
    device.limits.single_copy_from = transport::never;
    device.limits.get_from = shortest_read;
  }

  /// Posts a receive into the blocks, and announces the data.
  Request& receive(Blocks& blocks, const Bytes& data) {
    Request& request = engine.ireceive({context, 1, 7}, {blocks.memory.data(), 1, &blocks.type()});
    const ReadyToSend offer{
        .address = reinterpret_cast<std::uint64_t>(data.data()), .bytes = data.size(), .send_id = their_id};
    transport::Header announced = header(1, 7);
    announced.kind = static_cast<std::uint8_t>(Kind::ready_to_send);
    const auto prefix = as_prefix(offer);
    device.arriving.push_back({1, announced, {prefix.begin(), prefix.end()}, Bytes(12, std::byte{0x11})});
    engine.progress();
    return request;
  }
};

TEST_F(GetBlocks, FewLongBlocksAreReadOneByOne) {
  Blocks blocks(5, 20'000);
  const Bytes theirs = pattern(blocks.bytes());
  Request& request = receive(blocks, theirs);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(device.gets, 5U);
  EXPECT_EQ(blocks.memory, blocks.with(theirs));
  EXPECT_EQ(request.status.bytes, theirs.size());
  ASSERT_EQ(device.sent.size(), 1U);
  EXPECT_EQ(device.sent[0].kind(), Kind::finished);
  EXPECT_EQ(device.sent[0].read<SendId>().send_id, their_id);
  engine.release(request);
}

TEST_F(GetBlocks, TheMessageEndsWithTheLastBlock) {
  device.delayed = true;
  Blocks blocks(3, 20'000);
  const Bytes theirs = pattern(blocks.bytes());
  Request& request = receive(blocks, theirs);
  for (int block = 0; block < 3; ++block) {
    EXPECT_FALSE(request.done);
    EXPECT_TRUE(device.sent.empty()) << "the sender may change its memory when it hears that";
    device.end_access();
  }
  EXPECT_TRUE(request.done);
  EXPECT_EQ(blocks.memory, blocks.with(theirs));
  EXPECT_EQ(device.sent.size(), 1U);
  engine.release(request);
}

TEST_F(GetBlocks, AShorterMessageFillsTheFirstBlocks) {
  Blocks blocks(5, 20'000);
  const Bytes theirs = pattern(45'000);
  Request& request = receive(blocks, theirs);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(device.gets, 3U);
  EXPECT_EQ(blocks.memory, blocks.with(theirs));
  EXPECT_EQ(request.status.bytes, 45'000U);
  engine.release(request);
}

TEST_F(GetBlocks, OfALongerMessageOnlyTheRoomIsRead) {
  Blocks blocks(2, 20'000);
  const Bytes theirs = pattern(90'000);
  Request& request = receive(blocks, theirs);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(blocks.memory, blocks.with(theirs));
  EXPECT_EQ(device.sent.back().kind(), Kind::finished);
  engine.release(request);
}

TEST_F(GetBlocks, ShortBlocksComeInPieces) {
  Blocks blocks(10, shortest_read - 1);
  const Bytes theirs = pattern(blocks.bytes());
  Request& request = receive(blocks, theirs);
  EXPECT_FALSE(request.done);
  EXPECT_EQ(device.gets, 0U);
  EXPECT_EQ(device.sent.back().kind(), Kind::clear_to_send);
  engine.cancel(request);
}

TEST_F(GetBlocks, ManyBlocksComeInPieces) {
  Blocks blocks(transport::most_iov + 1, 20'000);
  const Bytes theirs = pattern(blocks.bytes());
  receive(blocks, theirs);
  EXPECT_EQ(device.gets, 0U);
  EXPECT_EQ(device.sent.back().kind(), Kind::clear_to_send);
}

TEST_F(GetBlocks, ABlockThatCannotBeReadFailsTheReceiveWhenAllHaveEnded) {
  device.delayed = true;
  Blocks blocks(3, 20'000);
  const Bytes theirs = pattern(blocks.bytes());
  Request& request = receive(blocks, theirs);
  const Error why(ErrorClass::other, "the link is down");
  device.end_access();
  device.end_access(&why);
  EXPECT_FALSE(request.done) << "the third one still stores";
  device.end_access();
  ASSERT_TRUE(request.done);
  EXPECT_STREQ(request.failure->what(), "the link is down");
  EXPECT_EQ(device.sent.back().kind(), Kind::finished) << "the sender would wait for ever";
  engine.release(request);
}

TEST_F(GetBlocks, WithoutAKeyTheDataComeInPieces) {
  device.readable = false;
  Blocks blocks(5, 20'000);
  const Bytes theirs = pattern(blocks.bytes());
  receive(blocks, theirs);
  EXPECT_EQ(device.gets, 1U);
  EXPECT_EQ(device.sent.back().kind(), Kind::clear_to_send);
}

TEST_F(GetBlocks, ABlockThatIsRefusedBringsTheMessageInPiecesWhenTheOthersHaveEnded) {
  device.delayed = true;
  device.refused_from = 2;
  Blocks blocks(5, 20'000);
  const Bytes theirs = pattern(blocks.bytes());
  Request& request = receive(blocks, theirs);
  EXPECT_EQ(device.gets, 3U) << "nothing is read behind the refused block";
  device.end_access();
  EXPECT_TRUE(device.sent.empty()) << "the second block is still being read";
  device.end_access();
  ASSERT_EQ(device.sent.size(), 1U);
  const auto clear = device.sent[0].read<ClearToSend>();
  EXPECT_EQ(device.sent[0].kind(), Kind::clear_to_send);
  EXPECT_EQ(clear.send_id, their_id);
  EXPECT_EQ(clear.bytes, theirs.size());
  deliver_pieces_of(theirs, clear);
  engine.progress();
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.failure, nullptr);
  EXPECT_EQ(blocks.memory, blocks.with(theirs));
  engine.release(request);
}

TEST_F(GetBlocks, RandomBlocksAreFilledAsTheMessageSays) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<Blocks::Block> list;
    for (std::size_t place = random() % 100; list.size() < 2 + random() % (transport::most_iov - 1);) {
      list.push_back({place, shortest_read + random() % 50'000});
      place += list.back().length + random() % 300;
    }
    std::ranges::shuffle(list, random);
    Blocks blocks(list);
    const Bytes theirs = pattern(blocks.bytes() - random() % shortest_read);
    Request& request = receive(blocks, theirs);
    ASSERT_TRUE(request.done);
    EXPECT_EQ(blocks.memory, blocks.with(theirs));
    engine.release(request);
  }
}

}  // namespace
}  // namespace bowline::proto
