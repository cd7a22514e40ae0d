// SPDX-License-Identifier: BSD-3-Clause
// A peer that has ended: what is sent to it, and waits for room there or for its answer, fails; nothing waits for ever.
#include "lost_peer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"
#include "proto/sending/bsend_buffer.hpp"
#include "proto/services/partitioned.hpp"

namespace bowline::proto {
namespace {

TEST_F(LostPeer, ABlockingSendFails) {
  try {
    engine.send(1, header(0, 7), buffer(data));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::proc_failed);
  }
  EXPECT_FALSE(engine.outbox().waits_for_room());
  engine.drain();
}

TEST_F(LostPeer, EverySendThatWaitsFails) {
  Bytes large = pattern(100'000);
  Request& small = isend(1, 1, data);
  Request& announced = isend(1, 2, large);
  Request& synchronous = engine.isend(1, header(0, 3), buffer(data), Mode::synchronous);
  for (Request* request : {&small, &announced, &synchronous}) {
    engine.wait(*request);
    expect_lost(*request);
    engine.release(*request);
  }
  EXPECT_FALSE(engine.outbox().waits_for_room());
}

TEST_F(LostPeer, ASendThatIsBeingStreamedFails) {
  Bytes large = pattern(100'000);
  device.refuse = nullptr;
  Request& request = isend(1, 2, large);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  int pieces = 0;
  device.refuse = [&](int) { return ++pieces > 2; };
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = 100'000});
  engine.wait(request);
  expect_lost(request);
  engine.release(request);
}

TEST_F(LostPeer, AnswersToItAreDropped) {
  Bytes target(10);
  Request& request = ireceive(1, 7, target);
  device.deliver(1, Kind::eager_synchronous, SendId{5}, header(1, 7), pattern(10));
  engine.wait(request);
  EXPECT_TRUE(engine.outbox().waits_for_room());
  engine.drain();
  EXPECT_FALSE(engine.outbox().waits_for_room());
  engine.release(request);
}

TEST_F(LostPeer, OtherPeersAreServed) {
  Request& doomed = isend(1, 1, data);
  engine.send(2, header(0, 2), buffer(data));
  EXPECT_EQ(latest(Kind::eager).rank, 2);
  engine.wait(doomed);
  engine.send(3, header(0, 3), buffer(data));
  EXPECT_EQ(latest(Kind::eager).rank, 3);
  engine.release(doomed);
}

TEST_F(LostPeer, APersistentSendFailsInItsRoundOnly) {
  Request& send = engine.make_send(1, header(0, 7), buffer(data), Mode::standard);
  engine.start(send);
  engine.wait(send);
  expect_lost(send);
  engine.retire(send);
  device.refuse = nullptr;
  engine.start(send);
  engine.wait(send);
  EXPECT_EQ(send.status.error, ErrorClass::success);
  EXPECT_EQ(send.failure, nullptr);
  engine.release(send);
}

TEST_F(LostPeer, BufferedMessagesForItGiveTheirRoomBack) {
  Bytes memory(1000);
  BsendBuffer buffered;
  buffered.attach(memory);
  buffered.send(engine, 1, header(0, 7), buffer(data));
  EXPECT_FALSE(buffered.left(buffered.latest()));
  engine.wait_until([&] { return buffered.left(buffered.latest()); }, {});
  engine.drain();
}

// ---- there was room, and the peer ended before it answered

class UnansweringPeer : public LostPeer {
 protected:
  UnansweringPeer() { device.refuse = nullptr; }
  Bytes large = pattern(100'000);
};

TEST_F(UnansweringPeer, SendsThatItKnowsOfFail) {
  Request& announced = isend(1, 1, large);
  Request& synchronous = engine.isend(1, header(0, 2), buffer(data), Mode::synchronous);
  engine.wait(announced);
  engine.wait(synchronous);
  for (Request* request : {&announced, &synchronous}) {
    expect_lost(*request);
    engine.release(*request);
  }
}

TEST_F(UnansweringPeer, ABlockingSendFails) {
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(large)), Error);
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(data), Mode::synchronous), Error);
  engine.drain();
}

TEST_F(UnansweringPeer, NobodyNeedsToHoldTheRequest) {
  engine.release(isend(1, 1, large));
  engine.drain();
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(large)), Error);
}

TEST_F(UnansweringPeer, ASendThatIsBeingCancelledFails) {
  Request& request = isend(1, 1, large);
  engine.cancel(request);
  engine.wait(request);
  expect_lost(request);
  EXPECT_FALSE(request.status.cancelled);
  engine.release(request);
}

TEST_F(UnansweringPeer, PausedSendsFail) {
  device.deliver(1, {.context = context, .kind = static_cast<std::uint8_t>(Kind::announce_all)});
  device.deliver(1, {.context = context, .kind = static_cast<std::uint8_t>(Kind::pause)});
  engine.progress();
  Request& request = isend(1, 1, data);
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  engine.wait(request);
  expect_lost(request);
  engine.release(request);
}

TEST_F(UnansweringPeer, AnAnswerFromBeforeItsEndCounts) {
  Request& request = isend(1, 1, large);
  const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
  device.late.push_back({1, {.kind = static_cast<std::uint8_t>(Kind::finished)}, {}, {}});
  const auto prefix = as_prefix(id);
  device.late.back().prefix.assign(prefix.begin(), prefix.end());
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

TEST_F(UnansweringPeer, ABufferedMessageGivesItsRoomBack) {
  Bytes memory(200'000);
  BsendBuffer buffered;
  buffered.attach(memory);
  buffered.send(engine, 1, header(0, 7), buffer(large));
  EXPECT_FALSE(buffered.left(buffered.latest()));
  engine.wait_until([&] { return buffered.left(buffered.latest()); }, {});
}

TEST_F(UnansweringPeer, APartitionedSendFailsOnceItsPartitionsAreReady) {
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  PartitionedSend& send =
      PartitionedSend::make(engine, 1, header(0, 7, parts), {2, {data.data(), 50, &dtype::byte_type()}});
  for (int round = 0; round < 2; ++round) {
    engine.start(send);
    send.ready(0);
    for (int i = 0; i < 10'000; ++i) engine.liveness().rested(false);
    EXPECT_FALSE(send.done);
    send.ready(1);
    engine.wait(send);
    expect_lost(send);
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(LostPeer, APartitionThatIsBeingSentFailsItsRequest) {
  device.refuse = nullptr;
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  PartitionedSend& send =
      PartitionedSend::make(engine, 1, header(0, 7, parts), {2, {data.data(), 50, &dtype::byte_type()}});
  const auto id = latest(PartitionedKind::offer).read<PartitionedOffer>().send_id;
  engine.start(send);
  device.deliver(1, PartitionedKind::ready, PartitionedReady{.send_id = id, .receive_id = 77}, header(0, 7, parts));
  engine.progress();
  device.refuse = [](int) { return true; };
  send.ready(0);
  send.ready(1);
  engine.wait(send);
  expect_lost(send);
  engine.release(send);
}

TEST_F(UnansweringPeer, ALivingPeerIsWaitedFor) {
  device.lost = false;
  Request& request = isend(1, 1, large);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  for (int i = 0; i < 10'000; ++i)
    engine.liveness().rested(true);  // on a busy machine so long that it asks for the peer's end
  EXPECT_FALSE(request.done);
  device.deliver(1, Kind::finished, SendId{offer.send_id});
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

TEST_F(LostPeer, AFullRingOfALivingPeerIsWaitedFor) {
  device.lost = false;
  Request& request = isend(1, 1, data);
  for (int i = 0; i < 20'000; ++i) engine.progress();
  EXPECT_FALSE(request.done);
  device.refuse = nullptr;
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
