// SPDX-License-Identifier: BSD-3-Clause
// Cancelling: what nobody has matched is taken back, what has been matched goes on as if nothing had been said.
#include <gtest/gtest.h>

#include "recording.hpp"

namespace bowline::proto {
namespace {

class Cancel : public ProtocolTest {
 protected:
  Bytes small = pattern(10);
  Bytes large = pattern(long_bytes);
};

// ---- receives

TEST_F(Cancel, APostedReceiveIsTakenBack) {
  Bytes first(10, untouched), second(10);
  Request& cancelled = ireceive(1, 7, first);
  Request& next = ireceive(1, 7, second);
  engine.cancel(cancelled);
  EXPECT_TRUE(cancelled.done);
  EXPECT_TRUE(cancelled.status.cancelled);
  device.deliver(1, header(1, 7), pattern(10));
  engine.wait(next);
  EXPECT_FALSE(next.status.cancelled);
  EXPECT_EQ(second, pattern(10));
  EXPECT_EQ(first, Bytes(10, untouched));
  engine.release(cancelled);
  engine.release(next);
}

TEST_F(Cancel, AReceiveThatHasEndedStaysAsItIs) {
  device.deliver(1, header(1, 7), small);
  Bytes data(10);
  Request& request = ireceive(1, 7, data);
  engine.wait(request);
  engine.cancel(request);
  EXPECT_FALSE(request.status.cancelled);
  EXPECT_EQ(request.status.bytes, 10U);
  engine.release(request);
}

TEST_F(Cancel, AReceiveThatIsBeingFilledGoesOn) {
  device.readable = false;
  Bytes data(long_bytes);
  Request& request = ireceive(1, 7, data);
  offer(1, 7, large, 5);
  engine.progress();
  engine.cancel(request);
  EXPECT_FALSE(request.done);
  deliver_pieces_of(large, latest(Kind::clear_to_send).read<ClearToSend>());
  engine.wait(request);
  EXPECT_FALSE(request.status.cancelled);
  EXPECT_EQ(data, large);
  engine.release(request);
}

TEST_F(Cancel, AReceiveInAnIndexedQueueIsTakenBack) {
  std::vector<Bytes> data(100, Bytes(10));
  std::vector<Request*> requests;
  for (Bytes& each : data) requests.push_back(&ireceive(1, 7, each));
  for (std::size_t i = 0; i < 100; i += 2) engine.cancel(*requests[i]);
  for (unsigned i = 1; i < 100; i += 2) device.deliver(1, header(1, 7), pattern(10, i));
  engine.progress();
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_TRUE(requests[i]->done);
    EXPECT_EQ(requests[i]->status.cancelled, i % 2 == 0);
    if (i % 2 == 1) {
      EXPECT_EQ(data[i], pattern(10, i));
    }
    engine.release(*requests[i]);
  }
}

// ---- sends that have not left

TEST_F(Cancel, ASendWithoutRoomNeverLeaves) {
  device.refuse = [](int) { return true; };
  Request& first = isend(1, 1, small);
  Request& second = isend(1, 2, large);
  Request& third = isend(1, 3, small);
  engine.cancel(second);
  EXPECT_TRUE(second.done);
  EXPECT_TRUE(second.status.cancelled);
  device.refuse = nullptr;
  engine.drain();
  ASSERT_EQ(device.sent.size(), 2U);
  EXPECT_EQ(device.sent[0].header.tag, 1);
  EXPECT_EQ(device.sent[1].header.tag, 3);
  for (Request* request : {&first, &second, &third}) engine.release(*request);
}

TEST_F(Cancel, TheOnlySendThatWaitedLeavesNothingBehind) {
  device.refuse = [](int) { return true; };
  Request& request = isend(1, 1, small);
  engine.cancel(request);
  engine.release(request);
  device.refuse = nullptr;
  engine.drain();
  EXPECT_FALSE(engine.outbox().waits_for_room());
  EXPECT_TRUE(device.sent.empty());
}

// ---- sends that the receiver knows

TEST_F(Cancel, AboutAnAnnouncedSendTheReceiverDecides) {
  Request& request = isend(1, 7, large);
  const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
  engine.cancel(request);
  EXPECT_FALSE(request.done);
  const Message& question = latest(Kind::cancel);
  EXPECT_EQ(question.rank, 1);
  EXPECT_EQ(question.header.context, context);
  EXPECT_EQ(question.read<SendId>().send_id, id);
  device.deliver(1, Kind::cancelled, SendId{id});
  engine.wait(request);
  EXPECT_TRUE(request.status.cancelled);
  engine.release(request);
  engine.drain();
}

TEST_F(Cancel, AShortSynchronousSendToo) {
  Request& request = engine.isend(1, header(0, 7), buffer(small), Mode::synchronous);
  const auto id = latest(Kind::eager_synchronous).read<SendId>();
  engine.cancel(request);
  EXPECT_EQ(latest(Kind::cancel).read<SendId>().send_id, id.send_id);
  device.deliver(1, Kind::cancelled, id);
  engine.wait(request);
  EXPECT_TRUE(request.status.cancelled);
  engine.release(request);
}

TEST_F(Cancel, AReceiverThatHadMatchedWins) {
  Request& fetched = isend(1, 1, large);
  const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
  device.deliver(1, Kind::finished, SendId{id});
  engine.cancel(fetched);
  engine.wait(fetched);
  EXPECT_FALSE(fetched.status.cancelled);
  engine.release(fetched);
}

TEST_F(Cancel, AReceiverThatAsksForPiecesWinsToo) {
  Request& request = isend(1, 1, large);
  const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = id, .receive_id = 3, .bytes = long_bytes});
  engine.cancel(request);
  device.refuse = [](int) { return true; };
  engine.progress();
  engine.cancel(request);  // while it is being sent
  EXPECT_FALSE(request.done);
  device.refuse = nullptr;
  engine.wait(request);
  EXPECT_FALSE(request.status.cancelled);
  latest(Kind::data);
  engine.release(request);
}

TEST_F(Cancel, AFreedSendIsRecycledWhenItIsCancelled) {
  Request& request = isend(1, 7, large);
  const volatile std::uint32_t& mark = request.mark;
  const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
  engine.cancel(request);
  engine.release(request);
  EXPECT_EQ(mark, Request::alive);
  device.deliver(1, Kind::cancelled, SendId{id});
  engine.drain();
  EXPECT_NE(mark, Request::alive);
}

// ---- the receiver's side of it

TEST_F(Cancel, AnUnmatchedAnnouncementIsForgotten) {
  offer(2, 7, large, 99);
  device.deliver(2, Kind::cancel, SendId{99}, header(2, 7));
  engine.progress();
  const Message& answer = latest(Kind::cancelled);
  EXPECT_EQ(answer.rank, 2);
  EXPECT_EQ(answer.read<SendId>().send_id, 99U);
  Status status;
  EXPECT_FALSE(engine.iprobe({context, any_source, any_tag}, status));
}

TEST_F(Cancel, AnUnmatchedSynchronousMessageIsForgotten) {
  device.deliver(2, Kind::eager_synchronous, SendId{98}, header(2, 7), small);
  device.deliver(2, Kind::cancel, SendId{98}, header(2, 7));
  engine.progress();
  EXPECT_EQ(latest(Kind::cancelled).read<SendId>().send_id, 98U);
  Status status;
  EXPECT_FALSE(engine.iprobe({context, any_source, any_tag}, status));
}

TEST_F(Cancel, OfSeveralMessagesTheRightOneIsForgotten) {
  // Ids are addresses in their sender: two senders may use the same.
  for (const int from : {1, 2}) {
    for (std::uint64_t id = 10; id < 40; ++id) offer(from, static_cast<int>(id), large, id);
  }
  device.deliver(2, Kind::cancel, SendId{25}, header(2, 25));
  engine.progress();
  Status status;
  EXPECT_FALSE(engine.iprobe({context, 2, 25}, status));
  EXPECT_TRUE(engine.iprobe({context, 1, 25}, status));
  EXPECT_TRUE(engine.iprobe({context, 2, 24}, status));
}

TEST_F(Cancel, AMatchedMessageIsNotAnsweredTwice) {
  device.readable = false;
  Bytes data(long_bytes);
  Request& request = ireceive(1, 7, data);
  offer(1, 7, large, 97);
  device.deliver(1, Kind::cancel, SendId{97}, header(1, 7));
  engine.progress();
  ASSERT_EQ(device.sent.size(), 1U);
  deliver_pieces_of(large, latest(Kind::clear_to_send).read<ClearToSend>());
  engine.wait(request);
  EXPECT_EQ(data, large);
  EXPECT_EQ(device.sent.size(), 1U);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
