// SPDX-License-Identifier: BSD-3-Clause
// Data with holes over a transport that sends lists of blocks from where they lie: which go that way, and which are
// copied together first.
#include "support/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "base/counter.hpp"
#include "base/error.hpp"
#include "recording.hpp"
#include "support/seed.hpp"

namespace bowline::proto {
namespace {

using test::Blocks;

constexpr std::size_t longest_list = 4;
constexpr std::size_t longest_post = 30'000;
constexpr std::size_t longest_unasked = 25'000;
constexpr std::size_t longest_copy = 10'000;
constexpr std::size_t packed_piece = longest_copy - sizeof(Data);

std::uint64_t counted(std::string_view name) {
  return (*std::ranges::find(Counter::all(), name, &Counter::name))->value();
}

class BlocksTest : public ProtocolTest {
 protected:
  BlocksTest() {
    device.limits.max_body = longest_copy;
    device.limits.eager_limit = longest_unasked;
    device.limits.max_posted = longest_post;
    device.limits.max_runs = longest_list;
    device.delayed = true;
  }

  static Buffer buffer(Blocks& blocks) { return {blocks.memory.data(), 1, &blocks.type()}; }
  Request& isend(Blocks& blocks, Mode mode = Mode::standard) {
    blocks.fill(3);
    return engine.isend(1, header(0, 7), buffer(blocks), mode);
  }
  /// Answers the announcement as the receiver would that has room for so many bytes.
  void ask(std::size_t bytes) {
    const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
    device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 77, .bytes = bytes});
    engine.progress();
  }
  /// The data of all pieces that were sent, each byte once.
  Bytes received(std::size_t bytes) {
    Bytes data(bytes, Blocks::hole);
    std::size_t total = 0;
    for (const Message& message : device.sent) {
      if (message.kind() != Kind::data) continue;
      const std::size_t offset = message.read<Data>().offset;
      EXPECT_LE(offset + message.body.size(), bytes);
      if (offset + message.body.size() > bytes) return {};
      std::ranges::copy(message.body, data.begin() + static_cast<std::ptrdiff_t>(offset));
      total += message.body.size();
    }
    EXPECT_EQ(total, bytes);
    return data;
  }
  void end_posts() {
    while (!device.posted.empty()) device.end_post();
  }
  static bool lies_in(const Blocks& blocks, const iovec& run) {
    const auto* const from = static_cast<const std::byte*>(run.iov_base);
    return from >= blocks.memory.data() && from + run.iov_len <= blocks.memory.data() + blocks.memory.size();
  }
  /// How many messages and pieces went as lists, and how many pieces were packed, since the test began.
  std::uint64_t lists() const { return counted("listed_messages") - listed_messages_; }
  std::uint64_t listed() const { return counted("listed_pieces") - listed_pieces_; }
  std::uint64_t packed() const { return counted("packed_pieces") - packed_pieces_; }

 private:
  std::uint64_t listed_messages_ = counted("listed_messages");
  std::uint64_t listed_pieces_ = counted("listed_pieces");
  std::uint64_t packed_pieces_ = counted("packed_pieces");
};

// ---- messages that go unasked

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
  const Error failure(ErrorClass::proc_aborted, "gone");
  device.end_post(&failure);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_aborted);
  engine.release(request);
}

// ---- long messages

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
  const Error gone(ErrorClass::proc_aborted, "rank 1 on somewhere is gone");
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
  EXPECT_FALSE(engine.waits_for_room());
  EXPECT_FALSE(request.done);
  end_posts();
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_aborted);
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
      while (engine.waits_for_room()) engine.progress();
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

// ---- transports that take no lists

TEST_F(BlocksTest, ATransportWithoutListsGetsPackedData) {
  device.limits.max_runs = 0;
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
  device.limits.max_runs = 1;
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
