// SPDX-License-Identifier: BSD-3-Clause
// A peer that has ended: what waits for room there, or for its answer, fails, and nothing waits for ever.
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "proto/bsend_buffer.hpp"
#include "proto/census.hpp"
#include "proto/partitioned.hpp"
#include "recording.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

class LostPeer : public ProtocolTest {
 protected:
  LostPeer() {
    device.refuse = [](int rank) { return rank == 1; };
    device.lost = true;
  }
  void expect_aborted(const Request& request) {
    ASSERT_TRUE(request.done);
    EXPECT_EQ(request.status.error, ErrorClass::proc_aborted);
    ASSERT_NE(request.failure, nullptr);
    EXPECT_NE(std::string(request.failure->what()).find("rank 1"), std::string::npos) << request.failure->what();
  }
  Bytes data = pattern(100);
};

TEST_F(LostPeer, ABlockingSendFails) {
  try {
    engine.send(1, header(0, 7), buffer(data));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::proc_aborted);
  }
  EXPECT_FALSE(engine.waits_for_room());
  engine.drain();
}

TEST_F(LostPeer, EverySendThatWaitsFails) {
  Bytes large = pattern(100'000);
  Request& small = isend(1, 1, data);
  Request& announced = isend(1, 2, large);
  Request& synchronous = engine.isend(1, header(0, 3), buffer(data), Mode::synchronous);
  for (Request* request : {&small, &announced, &synchronous}) {
    engine.wait(*request);
    expect_aborted(*request);
    engine.release(*request);
  }
  EXPECT_FALSE(engine.waits_for_room());
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
  expect_aborted(request);
  engine.release(request);
}

TEST_F(LostPeer, AnswersToItAreDropped) {
  Bytes target(10);
  Request& request = ireceive(1, 7, target);
  device.deliver(1, Kind::eager_synchronous, SendId{5}, header(1, 7), pattern(10));
  engine.wait(request);
  EXPECT_TRUE(engine.waits_for_room());
  engine.drain();
  EXPECT_FALSE(engine.waits_for_room());
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
  expect_aborted(send);
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
  engine.wait_until([&] { return buffered.left(buffered.latest()); });
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
    expect_aborted(*request);
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
  expect_aborted(request);
  EXPECT_FALSE(request.status.cancelled);
  engine.release(request);
}

TEST_F(UnansweringPeer, HeldSendsFail) {
  device.deliver(1, {.context = context, .kind = static_cast<std::uint8_t>(Kind::announce_all)});
  device.deliver(1, {.context = context, .kind = static_cast<std::uint8_t>(Kind::hold)});
  engine.progress();
  Request& request = isend(1, 1, data);
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  engine.wait(request);
  expect_aborted(request);
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
  engine.wait_until([&] { return buffered.left(buffered.latest()); });
}

TEST_F(UnansweringPeer, APartitionedSendFailsOnceItsPartitionsAreReady) {
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  PartitionedSend& send =
      PartitionedSend::make(engine, 1, header(0, 7, parts), {2, {data.data(), 50, &dtype::byte_type()}});
  for (int round = 0; round < 2; ++round) {
    engine.start(send);
    send.ready(0);
    for (int i = 0; i < 10'000; ++i) engine.rested(false);
    EXPECT_FALSE(send.done);
    send.ready(1);
    engine.wait(send);
    expect_aborted(send);
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(LostPeer, APartitionThatIsBeingSentFailsItsRequest) {
  device.refuse = nullptr;
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  PartitionedSend& send =
      PartitionedSend::make(engine, 1, header(0, 7, parts), {2, {data.data(), 50, &dtype::byte_type()}});
  const auto id = latest(Kind::partitioned_offer).read<PartitionedOffer>().send_id;
  engine.start(send);
  device.deliver(1, Kind::partitioned_ready, PartitionedReady{.send_id = id, .receive_id = 77}, header(0, 7, parts));
  engine.progress();
  device.refuse = [](int) { return true; };
  send.ready(0);
  send.ready(1);
  engine.wait(send);
  expect_aborted(send);
  engine.release(send);
}

TEST_F(UnansweringPeer, ALivingPeerIsWaitedFor) {
  device.lost = false;
  Request& request = isend(1, 1, large);
  for (int i = 0; i < 10'000; ++i) engine.rested(true);
  EXPECT_FALSE(request.done);
  device.deliver(1, Kind::finished, SendId{latest(Kind::ready_to_send).read<ReadyToSend>().send_id});
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

// ---- receives

/// Rank in the communicator and world rank are the same; there is another communicator, without rank 1.
class Neighbours final : public Census {
 public:
  static constexpr std::uint32_t without = make_context(2, 0, Purpose::point_to_point);
  int world_rank(std::uint32_t context, int source) override { return context == without ? source + 2 : source; }
  int source(std::uint32_t context, int rank) override { return context == without ? rank - 2 : rank; }
  int senders(std::uint32_t context) override { return context == without ? 2 : 4; }
  bool approachable(int rank) override { return approached.push_back(rank), rank != 0; }
  void lost(int rank, const Error& why) override {
    found.push_back(rank);
    reason = why.what();
  }
  std::vector<int> approached, found;
  std::string reason;
};

class SilentPeer : public LostPeer {
 protected:
  SilentPeer() {
    device.refuse = nullptr;
    device.lost = false;
    device.only_lost = 1;
    engine.ask(&census);
  }
  void doubt() {
    for (int i = 0; i < 10'000; ++i) engine.rested(false);
  }
  Request& ireceive_anything() { return ireceive(any_source, any_tag, target); }
  test::Setting at_once{"watch_after", "0"};
  Neighbours census;
  Bytes target = Bytes(100);
};

TEST_F(SilentPeer, ABlockingReceiveFails) {
  try {
    engine.receive({context, 1, 7}, buffer(target));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::proc_aborted);
    EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(census.found, std::vector{1});
  EXPECT_NE(census.reason.find("rank 1"), std::string::npos);
}

TEST_F(SilentPeer, IsTalkedToForTheFirstTimeToHearOfItsEnd) {
  Request& request = ireceive(1, 7, target);
  EXPECT_EQ(device.connections, 0);
  engine.wait(request);
  EXPECT_EQ(device.connections, 1);
  expect_aborted(request);
  engine.release(request);
}

TEST_F(SilentPeer, FailsOnlyWhatWaitsForIt) {
  Bytes other(100);
  Request& doomed = ireceive(1, 7, target);
  Request& living = ireceive(2, 7, other);
  engine.wait(doomed);
  expect_aborted(doomed);
  doubt();
  EXPECT_FALSE(living.done);
  device.deliver(2, header(2, 7), data);
  engine.wait(living);
  EXPECT_EQ(other, data);
  engine.release(doomed);
  engine.release(living);
}

TEST_F(SilentPeer, WhatItSentBeforeItsEndIsReceived) {
  Request& request = ireceive(1, 7, target);
  device.late.push_back({1, header(1, 7), {}, data});
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  EXPECT_EQ(target, data);
  engine.release(request);
}

TEST_F(SilentPeer, AReceiveFromAnybodyFailsOnce) {
  Request& first = ireceive_anything();
  engine.wait(first);
  expect_aborted(first);
  engine.release(first);
  Request& second = ireceive_anything();
  doubt();
  EXPECT_FALSE(second.done);
  device.deliver(3, header(3, 7), data);
  engine.wait(second);
  EXPECT_EQ(second.status.error, ErrorClass::success);
  engine.release(second);
  EXPECT_EQ(census.found, std::vector{1});
}

TEST_F(SilentPeer, AReceiveFromAnybodyFailsWhenNobodyIsLeft) {
  device.lost = true;  // all
  Request& first = ireceive_anything();
  engine.wait(first);
  engine.release(first);
  Request& second = ireceive_anything();
  engine.wait(second);
  EXPECT_EQ(second.status.error, ErrorClass::proc_aborted);
  engine.release(second);
}

TEST_F(SilentPeer, CommunicatorsWithoutItGoOn) {
  Request& request = engine.ireceive({Neighbours::without, any_source, 7}, buffer(target));
  EXPECT_THROW(engine.receive({context, 1, 7}, buffer(target)), Error);
  doubt();
  EXPECT_FALSE(request.done);
  device.deliver(2, header(0, 7, Neighbours::without), data);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

TEST_F(SilentPeer, AProbeFails) {
  EXPECT_THROW(engine.probe({context, 1, 7}), Error);
  EXPECT_THROW(engine.mprobe({context, 1, any_tag}), Error);
}

TEST_F(SilentPeer, ALongMessageThatBreaksOffFails) {
  device.limits.attach_from = transport::never;
  Bytes large(100'000);
  Request& request = ireceive(1, 7, large);
  const Bytes memory = pattern(100'000);
  offer(1, 7, memory, 99);
  engine.progress();
  const auto clear = latest(Kind::clear_to_send).read<ClearToSend>();
  const Data piece{.receive_id = clear.receive_id, .offset = 0};
  device.deliver(1, Kind::data, piece, header(1, 7), std::span(memory).first(1000));
  engine.wait(request);
  expect_aborted(request);
  engine.release(request);
  device.deliver(1, Kind::data, piece, header(1, 7), std::span(memory).first(1000));
  engine.progress();  // nobody looks at it
}

TEST_F(SilentPeer, APartitionedReceiveFails) {
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  PartitionedReceive& receive =
      PartitionedReceive::make(engine, 1, header(1, 7, parts), {2, {target.data(), 50, &dtype::byte_type()}});
  engine.start(receive);
  engine.wait(receive);
  expect_aborted(receive);
  engine.release(receive);
}

TEST_F(SilentPeer, IsWatchedWhoeverIsWaitedFor) {
  engine.keep_watch(1);
  Request& request = ireceive(2, 7, target);
  doubt();
  EXPECT_FALSE(request.done);
  EXPECT_EQ(census.found, std::vector{1});
  engine.cancel(request);
  engine.release(request);
}

TEST_F(SilentPeer, ALivingPeerIsWaitedFor) {
  device.only_lost = -1;
  Request& request = ireceive(1, 7, target);
  doubt();
  EXPECT_FALSE(request.done);
  device.deliver(1, header(1, 7), data);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
