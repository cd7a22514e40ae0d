// SPDX-License-Identifier: BSD-3-Clause
// A sender whose data are few long blocks writes them into the receiver's memory one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "recording.hpp"
#include "support/blocks.hpp"
#include "support/seed.hpp"

namespace bowline::proto {
namespace {

using test::Blocks;

constexpr std::size_t shortest_block = 5000;

class PutBlocks : public ProtocolTest {
 protected:
  PutBlocks() {
    device.limits.single_copy_from = transport::never;
    device.limits.get_from = shortest_block;
    device.limits.put_blocks_from = shortest_block;
    device.key = pattern(12, 9);
  }

  Request& isend(Blocks& blocks) {
    blocks.fill(3);
    return engine.isend(1, header(0, 7), {blocks.memory.data(), 1, &blocks.type()}, Mode::standard);
  }
  long count(Kind kind) const {
    return std::ranges::count(device.sent, kind, [](const Message& message) { return message.kind(); });
  }
  bool offers_blocks() { return (latest(Kind::ready_to_send).header.flags[0] & blocks_flag) != 0; }
  /// Asks for so many bytes, to be put into `target`.
  void ask(Bytes& target, std::size_t bytes) {
    const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
    const ClearToPut clear{.send_id = offer.send_id,
                           .receive_id = 77,
                           .bytes = bytes,
                           .address = reinterpret_cast<std::uint64_t>(target.data())};
    device.deliver(1, Kind::clear_to_put, clear, header(1, 7), their_key);
    engine.progress();
  }
  /// A message of the peer that is announced with holes.
  Request& receive(Bytes& target, std::uint8_t flags) {
    Request& request = engine.ireceive({context, 1, 7}, {target.data(), target.size(), &dtype::byte_type()});
    const ReadyToSend offer{.address = 0, .bytes = target.size(), .send_id = their_id};
    transport::Header announced = header(1, 7);
    announced.flags[0] = flags;
    device.deliver(1, Kind::ready_to_send, offer, announced);
    engine.progress();
    return request;
  }
  const Bytes their_key = pattern(20, 5);
};

// ---- the sender

TEST_F(PutBlocks, FewLongBlocksAreWrittenOneByOne) {
  Blocks blocks(5, 20'000);
  Request& request = isend(blocks);
  ASSERT_TRUE(offers_blocks());
  EXPECT_EQ(latest(Kind::ready_to_send).read<ReadyToSend>().address, 0U);
  Bytes target(blocks.bytes());
  ask(target, target.size());
  ASSERT_TRUE(request.done);
  EXPECT_EQ(device.puts, 5U);
  EXPECT_EQ(target, blocks.gathered());
  EXPECT_EQ(device.asked_with, their_key);
  EXPECT_EQ(latest(Kind::placed).read<Placed>().written, target.size());
  engine.release(request);
}

TEST_F(PutBlocks, TheSendEndsWithTheLastBlock) {
  device.delayed = true;
  Blocks blocks(3, 20'000);
  Request& request = isend(blocks);
  Bytes target(blocks.bytes());
  ask(target, target.size());
  for (int block = 0; block < 3; ++block) {
    EXPECT_FALSE(request.done);
    EXPECT_EQ(count(Kind::placed), 0) << "the receiver would use what has not come";
    device.end_access();
  }
  EXPECT_TRUE(request.done);
  EXPECT_EQ(target, blocks.gathered());
  EXPECT_EQ(count(Kind::placed), 1);
  engine.release(request);
}

TEST_F(PutBlocks, ForAShorterReceiveOnlyItsPartIsWritten) {
  Blocks blocks(5, 20'000);
  Request& request = isend(blocks);
  Bytes target(45'000);
  ask(target, target.size());
  ASSERT_TRUE(request.done);
  EXPECT_EQ(device.puts, 3U);
  const Bytes all = blocks.gathered();
  EXPECT_TRUE(std::ranges::equal(target, std::span(all).first(45'000)));
  engine.release(request);
}

TEST_F(PutBlocks, ShortOrManyBlocksAreNotOffered) {
  Blocks brief(10, shortest_block - 1);
  Request& first = isend(brief);
  EXPECT_FALSE(offers_blocks());
  Blocks many(transport::most_iov + 1, 20'000);
  Request& second = isend(many);
  EXPECT_FALSE(offers_blocks());
  engine.cancel(first);
  engine.cancel(second);
}

TEST_F(PutBlocks, ABlockThatCannotBeWrittenIsReportedWhenAllHaveEnded) {
  device.delayed = true;
  Blocks blocks(3, 20'000);
  Request& request = isend(blocks);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  Bytes target(blocks.bytes());
  ask(target, target.size());
  const Error why(ErrorClass::other, "the link is down");
  device.end_access();
  device.end_access(&why);
  EXPECT_EQ(count(Kind::placed), 0) << "the third one is still under way";
  device.end_access();
  EXPECT_EQ(latest(Kind::placed).read<Placed>().written, 0U);
  EXPECT_FALSE(request.done) << "the receiver will ask for the data in another way";
  device.deliver(1, Kind::clear_to_send,
                 ClearToSend{.send_id = offer.send_id, .receive_id = 77, .bytes = target.size()});
  engine.wait(request);
  engine.release(request);
}

/// It was packed to be sent at once, had to wait for room, and is announced because the receiver asks for that.
TEST_F(PutBlocks, OfAPackedMessageThePackedDataAreWritten) {
  device.limits.put_from = 1000;
  device.refuse = [](int) { return true; };
  Blocks many(2 * transport::most_iov, 100);
  Request& request = isend(many);
  device.arriving.push_back({1, control_header({}, Kind::announce_all), {}, {}});
  engine.progress();
  device.refuse = nullptr;
  engine.progress();
  Bytes target(many.bytes(), untouched);
  ask(target, target.size());
  EXPECT_TRUE(request.done);
  EXPECT_EQ(latest(Kind::placed).read<Placed>().written, target.size());
  EXPECT_EQ(target, many.gathered());
  engine.release(request);
}

TEST_F(PutBlocks, RandomBlocksArriveInTheirOrder) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<Blocks::Block> list;
    for (std::size_t place = random() % 100; list.size() < 2 + random() % (transport::most_iov - 1);) {
      list.push_back({place, shortest_block + random() % 50'000});
      place += list.back().length + 1 + random() % 300;
    }
    std::ranges::shuffle(list, random);
    Blocks blocks(list);
    Request& request = isend(blocks);
    ASSERT_TRUE(offers_blocks());
    Bytes target(blocks.bytes() - random() % shortest_block);
    ask(target, target.size());
    ASSERT_TRUE(request.done);
    const Bytes all = blocks.gathered();
    EXPECT_TRUE(std::ranges::equal(target, std::span(all).first(target.size())));
    engine.release(request);
  }
}

// ---- the receiver

TEST_F(PutBlocks, AReceiverAsksForOfferedBlocks) {
  Bytes target(60'000, untouched);
  Request& request = receive(target, blocks_flag);
  const auto clear = latest(Kind::clear_to_put).read<ClearToPut>();
  EXPECT_EQ(clear.send_id, their_id);
  EXPECT_EQ(clear.address, reinterpret_cast<std::uint64_t>(target.data()));
  EXPECT_EQ(latest(Kind::clear_to_put).body, device.key);
  device.deliver(1, Kind::placed, Placed{.receive_id = clear.receive_id, .send_id = their_id, .written = target.size()},
                 header(1, 7));
  engine.wait(request);
  EXPECT_EQ(device.deregistered.size(), 1U);
  engine.release(request);
}

TEST_F(PutBlocks, WhatIsNotOfferedInBlocksComesInPieces) {
  Bytes target(60'000, untouched);
  receive(target, 0);
  EXPECT_EQ(device.sent.back().kind(), Kind::clear_to_send);
}

TEST_F(PutBlocks, AReceiverThatCannotRegisterItsMemoryAsksForPieces) {
  device.expose_error = "no memory can be locked any more";
  Bytes target(60'000, untouched);
  Request& request = receive(target, blocks_flag);
  EXPECT_EQ(device.sent.back().kind(), Kind::clear_to_send);
  EXPECT_FALSE(request.done);
}

}  // namespace
}  // namespace bowline::proto
