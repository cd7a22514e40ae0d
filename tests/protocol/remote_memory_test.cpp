// SPDX-License-Identifier: BSD-3-Clause
// Long messages by get and put: keys, accesses that end later or fail, and what serves where they are refused.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class RemoteMemory : public ProtocolTest {
 protected:
  RemoteMemory() {
    device.limits.single_copy_from = transport::never;
    device.key = pattern(12, 9);
  }
  void expect_finished() { EXPECT_EQ(latest(Kind::finished).read<SendId>().send_id, their_id); }
  /// The receiver asks for pieces, and gets them.
  void serve_pieces(const Request& request) {
    EXPECT_FALSE(request.done);
    deliver_pieces_of(theirs, latest(Kind::clear_to_send).read<ClearToSend>());
    engine.wait(request);
    EXPECT_EQ(request.status.error, ErrorClass::success);
  }

  const Bytes theirs = pattern(long_bytes, 4);
  const Bytes their_key = pattern(20, 5);
  Bytes data = Bytes(long_bytes, untouched);
};

class ByGet : public RemoteMemory {
 protected:
  ByGet() { device.limits.get_from = 20'000; }
};

class ByPut : public RemoteMemory {
 protected:
  ByPut() { device.limits.put_from = 20'000; }
  ClearToPut ask_for(Request& send) {
    const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
    const ClearToPut clear{
        .send_id = id, .receive_id = 77, .bytes = long_bytes, .address = reinterpret_cast<std::uint64_t>(data.data())};
    EXPECT_FALSE(send.done);
    device.deliver(1, Kind::clear_to_put, clear, header(1, 7), their_key);
    engine.progress();
    return clear;
  }
  Bytes mine = pattern(long_bytes, 6);
};

// ---- get

TEST_F(ByGet, TheAnnouncementCarriesTheKey) {
  Bytes mine = pattern(long_bytes);
  Request& request = isend(1, 7, mine);
  EXPECT_EQ(latest(Kind::ready_to_send).body, device.key);
  EXPECT_EQ(device.registered_memory, 1U);
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(request);
  engine.release(request);
}

TEST_F(ByGet, TheKeyIsAskedForOnceHoweverLongTheAnnouncementWaits) {
  Bytes mine = pattern(long_bytes);
  SendRequest& request = engine.make_send(1, header(0, 7), buffer(mine), Mode::standard);
  for (std::size_t round = 1; round <= 2; ++round) {
    device.refuse = [](int) { return true; };
    engine.start(request);
    for (int i = 0; i < 10; ++i) engine.progress();
    EXPECT_EQ(device.registered_memory, round);
    device.refuse = nullptr;
    engine.progress();
    EXPECT_EQ(device.registered_memory, round);
    EXPECT_EQ(latest(Kind::ready_to_send).body, device.key);
    device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
    engine.wait(request);
    engine.retire(request);
  }
  engine.release(request);
}

TEST_F(ByGet, MemoryThatCannotBeExposedIsAnnouncedWithoutAKey) {
  device.expose_error = "the adapter has no more keys";
  Bytes mine = pattern(long_bytes);
  Request& request = isend(1, 7, mine);
  EXPECT_TRUE(latest(Kind::ready_to_send).body.empty());
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

TEST_F(ByGet, AMessageThatItDoesNotServeIsNotExposed) {
  Bytes mine = pattern(19'999);
  Request& request = isend(1, 7, mine);
  EXPECT_TRUE(latest(Kind::ready_to_send).body.empty());
  EXPECT_EQ(device.registered_memory, 0U);
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(request);
  engine.release(request);
}

TEST_F(ByGet, APostedReceiveReadsWithTheKey) {
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id, their_key);
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(data, theirs);
  EXPECT_EQ(device.asked_with, their_key);
  expect_finished();
  engine.release(request);
}

TEST_F(ByGet, AnAnnouncementThatWaitsKeepsItsKey) {
  offer(1, 7, theirs, their_id, their_key);
  engine.progress();
  EXPECT_EQ(device.gets, 0U);
  EXPECT_EQ(engine.receive({context, 1, 7}, buffer(data)).bytes, long_bytes);
  EXPECT_EQ(data, theirs);
  EXPECT_EQ(device.asked_with, their_key);
  expect_finished();
}

TEST_F(ByGet, AReadThatEndsLaterEndsTheReceiveThen) {
  device.delayed = true;
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id, their_key);
  engine.progress();
  EXPECT_FALSE(request.done);
  EXPECT_TRUE(device.sent.empty());
  device.end_access();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(data, theirs);
  expect_finished();
  engine.release(request);
}

TEST_F(ByGet, AReadThatFailsLaterFailsTheReceiveAndFreesTheSender) {
  device.delayed = true;
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id, their_key);
  engine.progress();
  const Error failure(ErrorClass::other, "the cable was pulled");
  device.end_access(&failure);
  EXPECT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::other);
  EXPECT_STREQ(request.failure->what(), "the cable was pulled");
  expect_finished();
  engine.release(request);
}

TEST_F(ByGet, AReadThatFailsAtOnceFailsTheReceiveAndFreesTheSender) {
  device.get_error = "the send buffer is not readable";
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id, their_key);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::buffer);
  expect_finished();
  engine.release(request);
}

TEST_F(ByGet, RefusedItComesInPieces) {
  device.readable = false;
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id, their_key);
  engine.progress();
  serve_pieces(request);
  EXPECT_EQ(data, theirs);
  engine.release(request);
}

TEST_F(ByGet, RefusedItIsNotTriedByWhatServesOnlyLongerMessages) {
  device.limits.put_from = long_bytes + 1;
  device.readable = false;
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id, their_key);
  engine.progress();
  EXPECT_EQ(device.registered_memory, 0U);
  serve_pieces(request);
  engine.release(request);
}

TEST_F(ByGet, RefusedItIsTriedByWhatServesItToo) {
  device.limits.put_from = long_bytes;
  device.readable = false;
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id, their_key);
  engine.progress();
  const auto clear = latest(Kind::clear_to_put).read<ClearToPut>();
  device.deliver(1, Kind::placed, Placed{.receive_id = clear.receive_id, .send_id = their_id, .written = long_bytes},
                 header(1, 7));
  engine.wait(request);
  engine.release(request);
}

TEST_F(ByGet, WithoutAKeyItComesInPieces) {
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id);
  engine.progress();
  EXPECT_EQ(device.gets, 0U);
  serve_pieces(request);
  EXPECT_EQ(data, theirs);
  engine.release(request);
}

TEST_F(ByGet, OnlyWhatThereIsRoomForIsRead) {
  Request& request = engine.ireceive({context, 1, 7}, {data.data(), 30'000, &dtype::byte_type()});
  offer(1, 7, theirs, their_id, their_key);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(request.status.bytes, 30'000U);
  EXPECT_TRUE(std::equal(data.begin(), data.begin() + 30'000, theirs.begin()));
  EXPECT_EQ(data[30'000], untouched);
  expect_finished();
  engine.release(request);
}

TEST_F(ByGet, SeveralReadsMayBeUnderWay) {
  device.delayed = true;
  Bytes other(long_bytes);
  const Bytes second = pattern(long_bytes, 8);
  Request& one = ireceive(1, 1, data);
  Request& two = ireceive(1, 2, other);
  offer(1, 1, theirs, their_id, their_key);
  offer(1, 2, second, their_id + 1, their_key);
  engine.progress();
  device.end_access();
  EXPECT_TRUE(one.done);
  EXPECT_FALSE(two.done);
  device.end_access();
  EXPECT_TRUE(two.done);
  EXPECT_EQ(other, second);
  engine.release(one);
  engine.release(two);
}

// ---- put: the receiver

TEST_F(ByPut, TheReceiverSaysWhereTheMessageBelongs) {
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id);
  engine.progress();
  const Message& message = latest(Kind::clear_to_put);
  const auto clear = message.read<ClearToPut>();
  EXPECT_EQ(message.rank, 1);
  EXPECT_EQ(message.body, device.key);
  EXPECT_EQ(clear.send_id, their_id);
  EXPECT_EQ(clear.bytes, long_bytes);
  EXPECT_EQ(clear.address, reinterpret_cast<std::uint64_t>(data.data()));
  EXPECT_FALSE(request.done);
  data = theirs;
  device.deliver(1, Kind::placed, Placed{.receive_id = clear.receive_id, .send_id = their_id, .written = long_bytes},
                 header(1, 7));
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(request.status.bytes, long_bytes);
  EXPECT_EQ(device.sent.size(), 1U);
  engine.release(request);
}

TEST_F(ByPut, AReceiverThatCannotExposeItsMemoryAsksForPieces) {
  device.expose_error = "the adapter has no more keys";
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id);
  engine.progress();
  serve_pieces(request);
  EXPECT_EQ(data, theirs);
  engine.release(request);
}

TEST_F(ByPut, AReceiverWhoseSenderCouldNotWriteAsksForPieces) {
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id);
  engine.progress();
  const auto clear = latest(Kind::clear_to_put).read<ClearToPut>();
  device.deliver(1, Kind::placed, Placed{.receive_id = clear.receive_id, .send_id = their_id, .written = 0},
                 header(1, 7));
  engine.progress();
  EXPECT_EQ(latest(Kind::clear_to_send).read<ClearToSend>().send_id, their_id);
  serve_pieces(request);
  EXPECT_EQ(data, theirs);
  engine.release(request);
}

TEST_F(ByPut, ATruncatedMessageIsAskedForAsFarAsThereIsRoom) {
  Request& request = engine.ireceive({context, 1, 7}, {data.data(), 30'000, &dtype::byte_type()});
  offer(1, 7, theirs, their_id);
  engine.progress();
  const auto clear = latest(Kind::clear_to_put).read<ClearToPut>();
  EXPECT_EQ(clear.bytes, 30'000U);
  device.deliver(1, Kind::placed, Placed{.receive_id = clear.receive_id, .send_id = their_id, .written = 30'000},
                 header(1, 7));
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  engine.release(request);
}

// ---- put: the sender

TEST_F(ByPut, TheSenderWritesAndSaysSo) {
  Request& request = isend(1, 7, mine);
  const ClearToPut clear = ask_for(request);
  EXPECT_TRUE(request.done);
  EXPECT_EQ(data, mine);
  EXPECT_EQ(device.asked_with, their_key);
  const auto placed = latest(Kind::placed).read<Placed>();
  EXPECT_EQ(placed.receive_id, 77U);
  EXPECT_EQ(placed.send_id, clear.send_id);
  EXPECT_EQ(placed.written, long_bytes);
  engine.release(request);
}

TEST_F(ByPut, AWriteThatEndsLaterEndsTheSendThen) {
  device.delayed = true;
  Request& request = isend(1, 7, mine);
  ask_for(request);
  EXPECT_FALSE(request.done);
  engine.cancel(request);  // too late: the receiver waits for it
  device.end_access();
  EXPECT_TRUE(request.done);
  EXPECT_FALSE(request.status.cancelled);
  EXPECT_EQ(latest(Kind::placed).read<Placed>().written, long_bytes);
  EXPECT_EQ(data, mine);
  engine.release(request);
}

TEST_F(ByPut, ASenderThatCannotWriteSendsPiecesWhenItIsAsked) {
  for (const std::string way : {"refused", "thrown", "failed later"}) {
    SCOPED_TRACE(way);
    device.sent.clear();
    device.writable = way != "refused";
    device.put_error = way == "thrown" ? "the receive buffer is not writable" : "";
    device.delayed = way == "failed later";
    Request& request = isend(1, 7, mine);
    const ClearToPut clear = ask_for(request);
    const Error failure(ErrorClass::other, "the cable was pulled");
    if (device.delayed) device.end_access(&failure);
    EXPECT_EQ(latest(Kind::placed).read<Placed>().written, 0U);
    EXPECT_FALSE(request.done);
    device.sent.clear();
    device.deliver(1, Kind::clear_to_send,
                   ClearToSend{.send_id = clear.send_id, .receive_id = 77, .bytes = long_bytes});
    engine.wait(request);
    EXPECT_EQ(request.status.error, ErrorClass::success);
    Bytes received;
    for (const Message& piece : device.sent) received.insert(received.end(), piece.body.begin(), piece.body.end());
    EXPECT_EQ(received, mine);
    engine.release(request);
  }
}

}  // namespace
}  // namespace bowline::proto
