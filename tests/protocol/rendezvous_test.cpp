// SPDX-License-Identifier: BSD-3-Clause
// Long messages, step by step: by get and by copy, seen from the sender and from the receiver.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class Rendezvous : public ProtocolTest {
 protected:
  /// An announcement as a peer makes it, of a message that lies in this process's memory.
  void offer(int from, int tag, const Bytes& memory) {
    const ReadyToSend offer{
        .address = reinterpret_cast<std::uint64_t>(memory.data()), .bytes = memory.size(), .send_id = their_id};
    device.deliver(from, Kind::ready_to_send, offer, header(from, tag));
  }
  const Message& only_message(Kind kind) {
    EXPECT_EQ(device.sent.size(), 1U);
    EXPECT_EQ(device.sent.back().kind(), kind);
    return device.sent.back();
  }
  /// Answers a clear_to_send with the pieces of `data`, of this length each.
  void deliver_pieces(const ClearToSend& clear, const Bytes& data, std::size_t piece) {
    for (std::size_t at = 0; at < clear.bytes; at += piece) {
      const std::span<const std::byte> part(data.data() + at, std::min<std::size_t>(piece, clear.bytes - at));
      device.deliver(1, Kind::data, Data{.receive_id = clear.receive_id, .offset = at}, header(1, 7), part);
    }
  }
};

// ---- the sender

TEST_F(Rendezvous, ALongSendIsAnnouncedAndEndsWhenItWasFetched) {
  Bytes data = pattern(long_bytes);
  Request& request = isend(2, 7, data);
  EXPECT_FALSE(request.done);
  const Message& message = only_message(Kind::ready_to_send);
  EXPECT_EQ(message.rank, 2);
  EXPECT_EQ(message.header.context, context);
  EXPECT_EQ(message.header.source, 0);
  EXPECT_EQ(message.header.tag, 7);
  EXPECT_TRUE(message.body.empty());
  const auto offer = message.read<ReadyToSend>();
  EXPECT_EQ(offer.address, reinterpret_cast<std::uint64_t>(data.data()));
  EXPECT_EQ(offer.bytes, long_bytes);
  for (int i = 0; i < 5; ++i) engine.progress();
  EXPECT_FALSE(request.done);
  device.deliver(2, Kind::finished, SendId{offer.send_id});
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(device.sent.size(), 1U);
  engine.release(request);
}

TEST_F(Rendezvous, ABlockingSendReturnsWhenItWasFetched) {
  Bytes data = pattern(long_bytes);
  bool asked = false;
  device.script.push_back([&] {
    asked = true;
    device.deliver(1, Kind::finished, SendId{device.sent.at(0).read<ReadyToSend>().send_id});
  });
  engine.send(1, header(0, 7), buffer(data));
  EXPECT_TRUE(asked);
}

TEST_F(Rendezvous, AskedToSendItSendsPiecesAndIsDone) {
  for (const std::size_t bytes : {8193, 16 << 10, 16 * 1024 + 1, 100'000}) {
    SCOPED_TRACE(bytes);
    device.sent.clear();
    Bytes data = pattern(bytes, 3);
    Request& request = isend(1, 7, data);
    const auto offer = only_message(Kind::ready_to_send).read<ReadyToSend>();
    device.sent.clear();
    device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 77, .bytes = bytes});
    engine.wait(request);
    Bytes received;
    for (const Message& message : device.sent) {
      EXPECT_EQ(message.kind(), Kind::data);
      EXPECT_EQ(message.rank, 1);
      const auto piece = message.read<Data>();
      EXPECT_EQ(piece.receive_id, 77U);
      EXPECT_EQ(piece.offset, received.size());
      received.insert(received.end(), message.body.begin(), message.body.end());
    }
    EXPECT_EQ(received, data);
    engine.release(request);
  }
}

TEST_F(Rendezvous, AReceiverWithLessRoomGetsOnlyThat) {
  Bytes data = pattern(long_bytes);
  Request& request = isend(1, 7, data);
  const auto offer = only_message(Kind::ready_to_send).read<ReadyToSend>();
  device.sent.clear();
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = 20'000});
  engine.wait(request);
  std::size_t sent = 0;
  for (const Message& message : device.sent) sent += message.body.size();
  EXPECT_EQ(sent, 20'000U);
  engine.release(request);
}

TEST_F(Rendezvous, PiecesGoOnWhereTheRingWasFull) {
  Bytes data = pattern(long_bytes);
  Request& request = isend(1, 7, data);
  const auto offer = only_message(Kind::ready_to_send).read<ReadyToSend>();
  device.sent.clear();
  int calls = 0;
  device.refuse = [&](int) { return ++calls % 3 != 0; };
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = long_bytes});
  engine.wait(request);
  Bytes received;
  for (const Message& message : device.sent) {
    EXPECT_EQ(message.read<Data>().offset, received.size());
    received.insert(received.end(), message.body.begin(), message.body.end());
  }
  EXPECT_EQ(received, data);
  engine.release(request);
}

// Nobody else could read it: the announcement gives no address, and each piece is packed when it is sent.
TEST_F(Rendezvous, ABufferWithHolesIsPackedPieceByPiece) {
  struct DoubleInt {
    double value;
    int index;
  };
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);
  std::vector<DoubleInt> pairs(4000);
  for (int i = 0; i < 4000; ++i) pairs[static_cast<std::size_t>(i)] = {i * 0.5, i};
  Request& request = engine.isend(1, header(0, 7), {reinterpret_cast<std::byte*>(pairs.data()), 4000, &type});
  const auto offer = only_message(Kind::ready_to_send).read<ReadyToSend>();
  EXPECT_EQ(offer.bytes, 48'000U);
  EXPECT_EQ(offer.address, 0U);
  device.sent.clear();
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = offer.bytes});
  engine.wait(request);
  engine.release(request);
  Bytes sent;
  for (const Message& message : device.sent) {
    EXPECT_EQ(message.read<Data>().offset, sent.size());
    sent.insert(sent.end(), message.body.begin(), message.body.end());
  }
  EXPECT_GT(device.sent.size(), 1U);
  Bytes packed(48'000);
  dtype::pack(type, 4000, pairs.data(), packed.data());
  EXPECT_EQ(sent, packed);
}

// ---- the receiver, by get

TEST_F(Rendezvous, APostedReceiveFetchesAndTellsTheSender) {
  const Bytes theirs = pattern(long_bytes);
  Bytes data(long_bytes + 10, untouched);
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs);
  engine.progress();
  ASSERT_TRUE(request.done);
  EXPECT_EQ(device.gets, 1U);
  EXPECT_EQ(request.status.source, 1);
  EXPECT_EQ(request.status.tag, 7);
  EXPECT_EQ(request.status.bytes, long_bytes);
  EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), data.begin()));
  EXPECT_EQ(data[long_bytes], untouched);
  const Message& answer = only_message(Kind::finished);
  EXPECT_EQ(answer.rank, 1);
  EXPECT_EQ(answer.read<SendId>().send_id, their_id);
  engine.release(request);
}

TEST_F(Rendezvous, AnAnnouncementWaitsForItsReceive) {
  const Bytes theirs = pattern(long_bytes);
  offer(2, 7, theirs);
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  EXPECT_EQ(device.gets, 0U);
  Status status;
  ASSERT_TRUE(engine.iprobe({context, any_source, any_tag}, status));
  EXPECT_EQ(status.bytes, long_bytes);
  EXPECT_EQ(status.source, 2);
  Bytes data(long_bytes);
  EXPECT_EQ(engine.receive({context, any_source, any_tag}, buffer(data)).source, 2);
  EXPECT_EQ(data, theirs);
  EXPECT_EQ(only_message(Kind::finished).rank, 2);
}

TEST_F(Rendezvous, AnnouncementsAndShortMessagesKeepTheirOrder) {
  const Bytes theirs = pattern(long_bytes, 1);
  device.deliver(1, header(1, 7), pattern(10, 0));
  offer(1, 7, theirs);
  device.deliver(1, header(1, 7), pattern(10, 2));
  engine.progress();
  Bytes data(long_bytes);
  for (const std::size_t bytes : {std::size_t{10}, long_bytes, std::size_t{10}}) {
    EXPECT_EQ(engine.receive({context, 1, 7}, buffer(data)).bytes, bytes);
  }
}

TEST_F(Rendezvous, TruncatedByGetOnlyTheRoomIsFetched) {
  const Bytes theirs = pattern(long_bytes);
  Bytes memory(1000, untouched);
  offer(1, 7, theirs);
  try {
    engine.receive({context, 1, 7}, {memory.data(), 600, &dtype::byte_type()});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::truncate);
    const std::string text = error.what();
    EXPECT_NE(text.find("has 100000 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("after 600 "), std::string::npos) << text;
  }
  Bytes expected = pattern(600);
  expected.resize(1000, untouched);
  EXPECT_EQ(memory, expected);
  EXPECT_EQ(only_message(Kind::finished).read<SendId>().send_id, their_id) << "the sender would wait for ever";
}

TEST_F(Rendezvous, AnEmptyBufferFetchesNothingAndFreesTheSender) {
  const Bytes theirs = pattern(long_bytes);
  Request& request = engine.ireceive({context, 1, 7}, {nullptr, 0, &dtype::byte_type()});
  offer(1, 7, theirs);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(request.status.bytes, 0U);
  EXPECT_EQ(device.gets, 0U);
  only_message(Kind::finished);
  engine.release(request);
}

TEST_F(Rendezvous, MemoryThatCannotBeReadFailsTheReceiveAndFreesTheSender) {
  const Bytes theirs = pattern(long_bytes);
  device.get_error = "the send buffer is not readable";
  Bytes data(long_bytes);
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::buffer);
  EXPECT_STREQ(request.failure->what(), "the send buffer is not readable");
  only_message(Kind::finished);
  engine.release(request);
}

// ---- the receiver, by copy

TEST_F(Rendezvous, AReceiverThatCannotReadAsksForPieces) {
  device.readable = false;
  const Bytes theirs = pattern(long_bytes);
  Bytes data(long_bytes + 10, untouched);
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs);
  engine.progress();
  EXPECT_FALSE(request.done);
  const auto clear = only_message(Kind::clear_to_send).read<ClearToSend>();
  EXPECT_EQ(clear.send_id, their_id);
  EXPECT_EQ(clear.bytes, long_bytes);
  deliver_pieces(clear, theirs, 9'000);
  const Message last = device.arriving.back();
  device.arriving.pop_back();
  engine.progress();
  EXPECT_FALSE(request.done);
  device.arriving.push_back(last);
  engine.progress();
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.bytes, long_bytes);
  EXPECT_TRUE(std::equal(theirs.begin(), theirs.end(), data.begin()));
  EXPECT_EQ(data[long_bytes], untouched);
  EXPECT_EQ(device.sent.size(), 1U) << "the sender knows by itself that it has finished";
  engine.release(request);
}

TEST_F(Rendezvous, TruncatedByCopyOnlyTheRoomIsAskedFor) {
  device.readable = false;
  const Bytes theirs = pattern(long_bytes);
  Bytes memory(1000, untouched);
  Request& request = engine.ireceive({context, 1, 7}, {memory.data(), 600, &dtype::byte_type()});
  offer(1, 7, theirs);
  engine.progress();
  const auto clear = only_message(Kind::clear_to_send).read<ClearToSend>();
  EXPECT_EQ(clear.bytes, 600U);
  deliver_pieces(clear, theirs, 250);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(request.status.bytes, 600U);
  EXPECT_NE(std::string(request.failure->what()).find("has 100000 bytes"), std::string::npos)
      << request.failure->what();
  Bytes expected = pattern(600);
  expected.resize(1000, untouched);
  EXPECT_EQ(memory, expected);
  engine.release(request);
}

TEST_F(Rendezvous, BelowTheTransportsLimitMessagesAreCopied) {
  device.limits.single_copy_from = 64 << 10;
  const Bytes small = pattern(20'000);
  const Bytes large = pattern(long_bytes);
  Bytes one(20'000), two(long_bytes);
  Request& copied = ireceive(1, 1, one);
  Request& fetched = ireceive(1, 2, two);
  offer(1, 1, small);
  offer(1, 2, large);
  engine.progress();
  EXPECT_TRUE(fetched.done);
  EXPECT_FALSE(copied.done);
  ASSERT_EQ(device.sent.size(), 2U);
  deliver_pieces(device.sent[0].read<ClearToSend>(), small, 20'000);
  engine.wait(copied);
  EXPECT_EQ(one, small);
  engine.release(copied);
  engine.release(fetched);
}

// ---- the receiver, into a buffer with holes

class RendezvousWithHoles : public Rendezvous {
 protected:
  static constexpr std::size_t count = 2000;
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);  // MPI_DOUBLE_INT
  const Bytes packed = pattern(count * 12);
  Bytes memory = Bytes(count * 16, untouched);

  Bytes unpacked(std::size_t bytes) const {
    Bytes expected(count * 16, untouched);
    dtype::unpack(type, packed.data(), bytes, expected.data());
    return expected;
  }
};

// What could be read at once is asked for in pieces, which are unpacked as they come.
TEST_F(RendezvousWithHoles, InPiecesCutAnywhere) {
  Request& request = engine.ireceive({context, 1, 7}, {memory.data(), count, &type});
  offer(1, 7, packed);
  engine.progress();
  deliver_pieces(only_message(Kind::clear_to_send).read<ClearToSend>(), packed, 7'001);
  engine.wait(request);
  EXPECT_EQ(request.status.bytes, packed.size());
  EXPECT_EQ(memory, unpacked(packed.size()));
  engine.release(request);
}

TEST_F(RendezvousWithHoles, Truncated) {
  Request& request = engine.ireceive({context, 1, 7}, {memory.data(), 1000, &type});
  offer(1, 7, packed);
  engine.progress();
  const auto clear = only_message(Kind::clear_to_send).read<ClearToSend>();
  EXPECT_EQ(clear.bytes, 12'000U);
  deliver_pieces(clear, packed, 7'001);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(memory, unpacked(12'000));
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
