// SPDX-License-Identifier: BSD-3-Clause
// A communicator that is interrupted: its operations fail, pending ones and later ones; messages about them do no harm;
// other communicators go on.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

const Error too_long(ErrorClass::timeout, "it has lasted for too long");

/// All members of the interrupted communicator share memory.
struct OfContext final : Sharers {
  int process(int member) const noexcept override { return member; }
  bool ended(int) noexcept override { return false; }
  std::uint32_t context() const noexcept override { return with_purpose(test_context, Purpose::collective); }
};

class Interrupted : public ProtocolTest {
 protected:
  static constexpr std::uint32_t other_context = make_context(2, 0, Purpose::point_to_point);

  void interrupt() { engine.interruptions().interrupt(context, too_long); }
  void expect_too_long(Request& request) {
    ASSERT_TRUE(request.done);
    EXPECT_EQ(request.status.error, ErrorClass::timeout);
    ASSERT_NE(request.failure, nullptr);
    EXPECT_STREQ(request.failure->what(), too_long.what());
    engine.release(request);
  }
  /// The connection to rank 1 stands, and so does another communicator.
  void expect_others_served() {
    Bytes back(10);
    device.deliver(1, header(1, 99, other_context), pattern(10, 2));
    EXPECT_EQ(engine.receive({other_context, 1, 99}, buffer(back)).bytes, 10U);
    EXPECT_EQ(back, pattern(10, 2));
    engine.send(1, header(0, 98, other_context), buffer(back));
    EXPECT_EQ(latest(Kind::eager).header.tag, 98);
  }

  Bytes data = pattern(100);
  Bytes large = pattern(long_bytes);
  Bytes target = Bytes(100);
};

TEST_F(Interrupted, WhatWaitsFails) {
  Request& announced = isend(1, 1, large);
  Request& synchronous = engine.isend(1, header(0, 2), buffer(data), Mode::synchronous);
  Request& posted = ireceive(1, 3, target);
  Request& anything = ireceive(any_source, any_tag, target);
  Request& of_collective = engine.ireceive({with_purpose(context, Purpose::collective), 1, 3}, buffer(target));
  Request& other = engine.ireceive({other_context, 1, 3}, buffer(target));
  interrupt();
  for (Request* request : {&announced, &synchronous, &posted, &anything, &of_collective}) expect_too_long(*request);
  EXPECT_FALSE(other.done);
  engine.cancel(other);
  engine.release(other);
  expect_others_served();
}

TEST_F(Interrupted, WhatWaitsForRoomFails) {
  device.refuse = [](int) { return true; };
  Request& waits = isend(1, 7, data);
  interrupt();
  expect_too_long(waits);
  device.refuse = nullptr;
  engine.drain();
  EXPECT_TRUE(device.sent.empty());
  expect_others_served();
}

TEST_F(Interrupted, WhatComesFails) {
  device.readable = false;  // by the pipeline
  Bytes whole(large.size());
  Request& comes = ireceive(1, 7, whole);
  offer(1, 7, large, their_id);
  engine.progress();
  const auto clear = latest(Kind::clear_to_send).read<ClearToSend>();
  interrupt();
  expect_too_long(comes);
  deliver_pieces_of(large, clear);  // which are not stored
  engine.progress();
  EXPECT_EQ(whole, Bytes(large.size()));
  expect_others_served();
}

TEST_F(Interrupted, WhatIsWrittenEndsWell) {
  device.delayed = true;
  Bytes whole(large.size());
  Request& sending = begin_put(large, whole);
  interrupt();
  EXPECT_FALSE(sending.done);  // the adapter still reads the buffer
  device.end_access();
  EXPECT_TRUE(sending.done);
  EXPECT_EQ(sending.failure, nullptr);
  EXPECT_EQ(whole, large);
  engine.release(sending);
  expect_others_served();
}

TEST_F(Interrupted, AnswersToWhatHasFailedAreIgnored) {
  Request& announced = isend(1, 7, large);
  const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
  interrupt();
  expect_too_long(announced);
  device.deliver(1, Kind::finished, SendId{.send_id = id});
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = id, .receive_id = 5, .bytes = large.size()});
  engine.progress();
  expect_others_served();
}

TEST_F(Interrupted, InventedAnswersStillCloseTheConnection) {
  interrupt();
  device.deliver(1, Kind::finished, SendId{.send_id = their_id});
  engine.progress();
  EXPECT_NE(engine.peer(1).broken, nullptr);
}

TEST_F(Interrupted, WhatArrivesIsDropped) {
  device.deliver(1, header(1, 7), data);  // before
  engine.progress();
  interrupt();
  device.deliver(1, header(1, 7), data);
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), data);
  offer(1, 7, large, their_id);
  engine.progress();
  int kept = 0;
  engine.matching().for_each_unexpected([&](const Unexpected&) { ++kept; });
  EXPECT_EQ(kept, 0);
  expect_others_served();
}

TEST_F(Interrupted, WhatBeginsLaterFails) {
  Request& persistent = engine.make_send(1, header(0, 7), buffer(data), Mode::standard);
  interrupt();
  expect_too_long(isend(1, 1, large));
  expect_too_long(engine.isend(1, header(0, 1), buffer(data), Mode::synchronous));
  expect_too_long(ireceive(any_source, any_tag, target));
  engine.start(persistent);
  expect_too_long(persistent);
  EXPECT_THROW(engine.receive({context, 1, 7}, buffer(target)), Error);
  EXPECT_THROW(engine.probe({context, 1, 7}), Error);
  Status status;
  EXPECT_THROW(engine.iprobe({context, any_source, any_tag}, status), Error);
  engine.drain();
  expect_others_served();
}

TEST_F(Interrupted, AProbeFails) {
  device.script = {[this] { interrupt(); }};
  EXPECT_THROW(engine.probe({context, 1, 7}), Error);
}

TEST_F(Interrupted, PartitionedOperationsFail) {
  const Partitions parts{2, buffer(data)};
  PartitionedSend& send = PartitionedSend::make(engine, 1, header(0, 7), parts);
  PartitionedReceive& receive = PartitionedReceive::make(engine, 1, header(1, 8), parts);
  engine.start(send);
  engine.start(receive);
  send.ready(0);
  interrupt();
  EXPECT_TRUE(receive.done);
  EXPECT_FALSE(send.done);  // as soon as the program has marked all partitions
  send.ready(1);
  EXPECT_TRUE(send.done);
  for (PartitionedRequest* each :
       {static_cast<PartitionedRequest*>(&send), static_cast<PartitionedRequest*>(&receive)}) {
    EXPECT_EQ(each->status.error, ErrorClass::timeout);
    engine.retire(*each);
    engine.start(*each);
  }
  EXPECT_TRUE(receive.done);
  for (const int part : {0, 1}) send.ready(part);
  EXPECT_TRUE(send.done);
  EXPECT_EQ(send.status.error, ErrorClass::timeout);
  send.dispose();
  receive.dispose();
  expect_others_served();
}

TEST_F(Interrupted, WordsInSharedMemoryAreNotAwaited) {
  OfContext members;
  Sharers* const none = nullptr;
  std::atomic<std::uint64_t> word = 0;
  Watch before(word, 1, {});
  Watch own(word, 1, {});
  before.sharers = &members;
  own.sharers = none;
  engine.watch(before);
  engine.watch(own);
  interrupt();
  EXPECT_NE(before.failure, nullptr);
  EXPECT_EQ(own.failure, nullptr);
  Watch later(word, 1, {});
  later.sharers = &members;
  engine.watch(later);
  EXPECT_NE(later.failure, nullptr);
}

TEST_F(Interrupted, ANewCommunicatorWithItsIndexServes) {
  interrupt();
  for (const Purpose purpose : {Purpose::point_to_point, Purpose::collective, Purpose::partitioned, Purpose::local})
    engine.forget(with_purpose(context, purpose));
  const std::uint32_t successor = make_context(1, 0, Purpose::point_to_point, 1);
  device.deliver(1, header(1, 7, successor), data);
  EXPECT_EQ(engine.receive({successor, 1, 7}, buffer(target)).bytes, data.size());
  EXPECT_EQ(target, data);
}

}  // namespace
}  // namespace bowline::proto
