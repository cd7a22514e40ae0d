// SPDX-License-Identifier: BSD-3-Clause
// Long messages over a transport that sends from where the data lie; and keys that are given back.
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

constexpr std::size_t one_post = 30'000;

class Posting : public ProtocolTest {
 protected:
  Posting() {
    device.limits.max_posted = one_post;
    device.delayed = true;
  }
  /// Begins a send, and asks for its pieces as the receiver would.
  Request& begin(std::size_t asked_for = long_bytes) {
    Request& request = isend(1, 7, data);
    const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
    device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 77, .bytes = asked_for});
    engine.progress();
    return request;
  }
  Bytes data = pattern(long_bytes, 3);
};

TEST_F(Posting, PiecesAreSentFromWhereTheyLieAndAwaited) {
  Request& request = begin();
  ASSERT_EQ(device.posted.size(), 4U);
  Bytes received(long_bytes);
  for (std::size_t i = 0; i < 4; ++i) {
    const Message& piece = device.sent[device.sent.size() - 4 + i];
    EXPECT_EQ(device.posted[i].from(), data.data() + i * one_post);
    EXPECT_EQ(piece.read<Data>().receive_id, 77U);
    std::ranges::copy(piece.body, received.begin() + static_cast<std::ptrdiff_t>(piece.read<Data>().offset));
  }
  EXPECT_EQ(received, data);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(request.done);
    device.end_post();
  }
  EXPECT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

TEST_F(Posting, PiecesThatAreDoneAtOnceAreNotAwaited) {
  device.delayed = false;
  Request& request = begin();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(Posting, APieceThatEndsBeforeTheNextFindsRoomEndsNothing) {
  int room = 2;
  device.refuse = [&](int) { return room == 0 || room-- == 0; };
  room = 3;  // the announcement and two pieces
  Request& request = begin();
  ASSERT_EQ(device.posted.size(), 2U);
  device.end_post();
  device.end_post();
  EXPECT_FALSE(request.done);
  device.refuse = nullptr;
  engine.progress();
  ASSERT_EQ(device.posted.size(), 2U);
  device.end_post();
  device.end_post();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(Posting, APieceThatFailsFailsTheSendOnceNothingIsInFlight) {
  Request& request = begin();
  const Error gone(ErrorClass::proc_failed, "rank 1 on somewhere is gone");
  device.end_post();
  device.end_post(&gone);
  device.end_post(&gone);
  EXPECT_FALSE(request.done);
  device.end_post(&gone);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  EXPECT_STREQ(request.failure->what(), gone.what());
  engine.release(request);
}

TEST_F(Posting, ASendToALostPeerKeepsItsBufferWhileSomethingIsInFlight) {
  int room = 3;
  device.refuse = [&](int) { return room == 0 || room-- == 0; };
  device.lost = true;
  Request& request = begin();
  ASSERT_EQ(device.posted.size(), 2U);
  for (int i = 0; i < 10000; ++i) engine.progress();
  EXPECT_FALSE(engine.outbox().waits_for_room());
  EXPECT_FALSE(request.done);
  device.end_post();
  device.end_post();
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  engine.release(request);
}

TEST_F(Posting, APersistentSendStartsAfresh) {
  Request& send = engine.make_send(1, header(0, 7), buffer(data), Mode::standard);
  for (int round = 0; round < 3; ++round) {
    engine.start(send);
    const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
    device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = long_bytes});
    engine.progress();
    ASSERT_EQ(device.posted.size(), 4U);
    for (int i = 0; i < 4; ++i) device.end_post();
    EXPECT_TRUE(send.done);
    engine.retire(send);
  }
  engine.release(send);
}

// ---- keys

class Keys : public ProtocolTest {
 protected:
  Keys() { device.key = pattern(12, 9); }
  Bytes data = pattern(long_bytes, 3);
};

TEST_F(Keys, TheSendersIsGivenBackWhenTheSendIsOver) {
  device.limits.get_from = 1000;
  Request& request = isend(1, 7, data);
  EXPECT_TRUE(device.deregistered.empty());
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(request);
  EXPECT_EQ(device.deregistered, std::vector<Bytes>{device.key});
  engine.release(request);
}

TEST_F(Keys, TheReceiversIsGivenBackWhenTheDataAreThere) {
  device.limits.put_from = 1000;
  device.limits.single_copy_from = transport::never;
  Bytes target(long_bytes);
  Request& request = ireceive(1, 7, target);
  offer(1, 7, data, 99);
  engine.progress();
  EXPECT_TRUE(device.deregistered.empty());
  const auto clear = latest(Kind::clear_to_put).read<ClearToPut>();
  device.deliver(1, Kind::placed, Placed{.receive_id = clear.receive_id, .send_id = 99, .written = long_bytes});
  engine.wait(request);
  EXPECT_EQ(device.deregistered, std::vector<Bytes>{device.key});
  engine.release(request);
}

TEST_F(Keys, AnEmptyOneIsNot) {
  device.limits.get_from = 1000;
  device.key.clear();
  Request& request = isend(1, 7, data);
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(request);
  EXPECT_TRUE(device.deregistered.empty());
  engine.release(request);
}

// ---- long messages that go unasked

class PostingUnasked : public Posting {
 protected:
  PostingUnasked() {
    device.limits.max_body = 10'000;
    device.limits.eager_limit = 25'000;
  }
  Bytes unasked = pattern(25'000, 4);
};

TEST_F(PostingUnasked, TheMessageIsSentFromWhereItLies) {
  Request& request = isend(1, 7, unasked);
  ASSERT_EQ(device.posted.size(), 1U);
  EXPECT_EQ(device.posted.front().from(), unasked.data());
  EXPECT_EQ(latest(Kind::eager).body, unasked);
  EXPECT_FALSE(request.done);
  device.end_post();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(PostingUnasked, OneThatIsDoneAtOnceIsNotAwaited) {
  device.delayed = false;
  engine.send(1, header(0, 7), {unasked.data(), unasked.size(), &dtype::byte_type()});
  EXPECT_EQ(latest(Kind::eager).body, unasked);
}

TEST_F(PostingUnasked, OneThatFindsNoRoomIsPostedLater) {
  device.refuse = [](int) { return true; };
  Request& request = isend(1, 7, unasked);
  EXPECT_TRUE(device.posted.empty());
  device.refuse = nullptr;
  engine.progress();
  ASSERT_EQ(device.posted.size(), 1U);
  device.end_post();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(PostingUnasked, AFailureIsTheSends) {
  Request& request = isend(1, 7, unasked);
  const Error failure(ErrorClass::proc_failed, "gone");
  device.end_post(&failure);
  EXPECT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  engine.release(request);
}

TEST_F(PostingUnasked, ShorterOnesAreCopied) {
  engine.send(1, header(0, 7), {unasked.data(), 9'000, &dtype::byte_type()});
  EXPECT_TRUE(device.posted.empty());
  EXPECT_EQ(latest(Kind::eager).body.size(), 9'000U);
}

TEST_F(PostingUnasked, SynchronousOnesAreAnnouncedBecauseTheAnswerMayComeFirst) {
  Request& request =
      engine.isend(1, header(0, 7), {unasked.data(), unasked.size(), &dtype::byte_type()}, Mode::synchronous);
  EXPECT_TRUE(device.posted.empty());
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(request);
  engine.release(request);
}

// ---- what the transport wants

TEST_F(ProtocolTest, ATransportMayHaveAnEagerLimitOfItsOwn) {
  device.limits.eager_limit = 20'000;
  Bytes mine = pattern(20'001);
  engine.send(2, header(0, 1), {mine.data(), 20'000, &dtype::byte_type()});
  EXPECT_EQ(latest(Kind::eager).body.size(), 20'000U);
  Request& request = isend(2, 2, mine);
  device.deliver(2, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
  engine.wait(request);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
