// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication, the sender's side, against crafted answers of the receiver.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "proto/services/partitioned.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class PartitionedSends : public ProtocolTest {
 protected:
  static constexpr int count = 4;
  static constexpr std::size_t each = 100;
  static constexpr std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  static constexpr std::uint64_t receiver = 77;

  PartitionedSend& make(int to = 1, std::size_t bytes = each) {
    return PartitionedSend::make(engine, to, header(0, 7, parts), {count, {data.data(), bytes, &dtype::byte_type()}});
  }
  void say_ready(std::uint64_t send_id) {
    device.deliver(1, PartitionedKind::ready, PartitionedReady{.send_id = send_id, .receive_id = receiver},
                   header(0, 7, parts));
    engine.progress();
  }
  std::uint64_t offered() { return latest(PartitionedKind::offer).read<PartitionedOffer>().send_id; }
  /// The partitions that were sent since the last call, in that order.
  std::vector<std::size_t> sent() {
    std::vector<std::size_t> list;
    for (const Message& message : device.sent) {
      if (message.kind() != PartitionedKind::data) continue;
      const auto piece = message.read<Data>();
      EXPECT_EQ(piece.receive_id, receiver);
      EXPECT_EQ(message.rank, 1);
      EXPECT_EQ(message.body, Bytes(data.begin() + static_cast<std::ptrdiff_t>(piece.offset),
                                    data.begin() + static_cast<std::ptrdiff_t>(piece.offset + each)));
      list.push_back(piece.offset / each);
    }
    device.sent.clear();
    return list;
  }
  using List = std::vector<std::size_t>;
  Bytes data = pattern(count * each);
};

TEST_F(PartitionedSends, TheOfferIsMadeOnceAndNamesTheWholeLength) {
  PartitionedSend& send = make(2);
  const Message& message = latest(PartitionedKind::offer);
  EXPECT_EQ(message.rank, 2);
  EXPECT_EQ(message.header.context, parts);
  EXPECT_EQ(message.header.tag, 7);
  EXPECT_EQ(message.read<PartitionedOffer>().bytes, count * each);
  EXPECT_FALSE(send.active);
  engine.start(send);
  engine.progress();
  EXPECT_EQ(device.sent.size(), 1U);
  send.dispose();
}

TEST_F(PartitionedSends, PartitionsWaitForTheReceiverAndThenGoAtOnce) {
  PartitionedSend& send = make();
  const auto id = offered();
  engine.start(send);
  send.ready(2);
  send.ready(0);
  engine.progress();
  EXPECT_EQ(sent(), List{});
  say_ready(id);
  EXPECT_EQ(sent(), (List{0, 2}));
  send.ready(3);
  EXPECT_EQ(sent(), List{3});
  EXPECT_FALSE(send.done);
  send.ready(1);
  EXPECT_EQ(sent(), List{1});
  EXPECT_TRUE(send.done);
  engine.retire(send);
  EXPECT_FALSE(send.active);
  engine.release(send);
}

TEST_F(PartitionedSends, EachRoundNeedsAReadyReceiver) {
  PartitionedSend& send = make();
  const auto id = offered();
  for (int round = 0; round < 3; ++round) {
    engine.start(send);
    for (int i = 0; i < count; ++i) send.ready(i);
    EXPECT_EQ(sent(), List{});
    EXPECT_FALSE(send.done);
    say_ready(id);
    EXPECT_EQ(sent().size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(send.done);
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(PartitionedSends, AReceiverMayBeARoundAhead) {
  PartitionedSend& send = make();
  const auto id = offered();
  say_ready(id);  // before the first start
  for (int round = 0; round < 3; ++round) {
    engine.start(send);
    for (int i = 0; i < count; ++i) send.ready(i);
    EXPECT_EQ(sent(), (List{0, 1, 2, 3}));
    EXPECT_TRUE(send.done);
    say_ready(id);  // done here, but not yet seen by the user
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(PartitionedSends, OfAnEmptyMessageTheReceiverHearsWhenAllIsReady) {
  PartitionedSend& send = make(1, 0);
  const auto id = offered();
  device.sent.clear();
  for (int round = 0; round < 3; ++round) {
    say_ready(id);
    engine.start(send);
    for (int i = 0; i < count; ++i) {
      EXPECT_TRUE(device.sent.empty()) << "round " << round;
      send.ready(i);
    }
    EXPECT_TRUE(latest(PartitionedKind::data).body.empty());
    EXPECT_EQ(latest(PartitionedKind::data).read<Data>().offset, 0U);
    EXPECT_TRUE(send.done) << "round " << round;
    EXPECT_EQ(device.sent.size(), 1U);
    device.sent.clear();
    engine.retire(send);
  }
  engine.release(send);
}

TEST_F(PartitionedSends, WithoutPartitionsTheReceiverHearsOfTheStart) {
  PartitionedSend& send = PartitionedSend::make(engine, 1, header(0, 7, with_purpose(context, Purpose::partitioned)),
                                                {0, {data.data(), 100, &dtype::byte_type()}});
  const auto id = offered();
  device.sent.clear();
  say_ready(id);
  EXPECT_TRUE(device.sent.empty());
  engine.start(send);
  EXPECT_TRUE(latest(PartitionedKind::data).body.empty());
  EXPECT_TRUE(send.done);
  engine.retire(send);
  engine.start(send);
  EXPECT_FALSE(send.done) << "the receiver has not started";
  say_ready(id);
  EXPECT_TRUE(send.done);
  engine.release(send);
}

TEST_F(PartitionedSends, WithoutRoomPartitionsWait) {
  PartitionedSend& send = make();
  const auto id = offered();
  engine.start(send);
  say_ready(id);
  device.refuse = [](int) { return true; };
  for (int i = 0; i < count; ++i) send.ready(i);
  EXPECT_FALSE(send.done);
  device.refuse = nullptr;
  engine.wait(send);
  EXPECT_EQ(sent(), (List{0, 1, 2, 3}));
  engine.release(send);
}

TEST_F(PartitionedSends, MistakesAreNamed) {
  PartitionedSend& send = make();
  const auto class_of = [&](int partition) {
    try {
      send.check_ready(partition);
      return ErrorClass::success;
    } catch (const Error& error) {
      return error.error_class();
    }
  };
  EXPECT_EQ(class_of(0), ErrorClass::request) << "not started";
  engine.start(send);
  EXPECT_EQ(class_of(-1), ErrorClass::arg);
  EXPECT_EQ(class_of(count), ErrorClass::arg);
  EXPECT_EQ(class_of(count - 1), ErrorClass::success);
  EXPECT_EQ(class_of(count - 1), ErrorClass::success) << "asking changes nothing";
  send.ready(count - 1);
  EXPECT_EQ(class_of(count - 1), ErrorClass::request) << "marked twice";
  send.dispose();
}

TEST_F(PartitionedSends, AFreedRequestEndsFirstAndIsThenUnknown) {
  PartitionedSend& send = make();
  const auto id = offered();
  engine.start(send);
  for (int i = 0; i < count; ++i) send.ready(i);
  engine.release(send);
  say_ready(id);
  EXPECT_EQ(sent(), (List{0, 1, 2, 3}));
  EXPECT_TRUE(PartitionedTable::of(engine).sends.empty());
  say_ready(id);  // nobody is there any more
  EXPECT_EQ(sent(), List{});
}

TEST_F(PartitionedSends, AnIdleRequestIsFreedAtOnce) {
  PartitionedSend& send = make();
  const auto id = offered();
  engine.release(send);
  EXPECT_TRUE(PartitionedTable::of(engine).sends.empty());
  say_ready(id);
}

TEST_F(PartitionedSends, AReceiverThatIsReadyForAFreedSendIsTold) {
  const auto expect_told = [&](std::uint64_t id) {
    const auto gone = latest(PartitionedKind::gone).read<PartitionedReady>();
    EXPECT_EQ(gone.send_id, id);
    EXPECT_EQ(gone.receive_id, receiver);
    device.sent.clear();
  };
  PartitionedSend& first = make();
  const auto first_id = offered();
  engine.release(first);
  say_ready(first_id);
  expect_told(first_id);
  PartitionedSend& second = make();
  const auto second_id = offered();
  say_ready(second_id);
  engine.release(second);
  expect_told(second_id);
}

TEST_F(PartitionedSends, ASendWhoseReceiveWasFreedIsOfferedAgainForItsNextRound) {
  PartitionedSend& send = make();
  const auto id = offered();
  const auto say_released = [&] {
    device.sent.clear();
    device.deliver(1, PartitionedKind::released, PartitionedReleased{.send_id = id}, header(0, 7, parts));
    engine.progress();
  };
  say_released();
  EXPECT_TRUE(device.sent.empty());
  engine.start(send);
  EXPECT_EQ(offered(), id);
  say_released();  // while the round waits
  EXPECT_EQ(offered(), id);
  say_ready(id);
  for (int i = 0; i < count; ++i) send.ready(i);
  EXPECT_TRUE(send.done);
  engine.release(send);
}

TEST_F(PartitionedSends, ToNobodyItEndsWithItsLastPartition) {
  PartitionedSend& send = make(no_process);
  EXPECT_TRUE(device.sent.empty());
  engine.start(send);
  for (int i = 0; i < count; ++i) {
    EXPECT_FALSE(send.done);
    send.ready(i);
  }
  EXPECT_TRUE(send.done);
  engine.release(send);
}

TEST_F(PartitionedSends, HolesAreNotSent) {
  struct DoubleInt {
    double value;
    int index;
  };
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);
  DoubleInt pairs[4] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}};
  Bytes packed(48);
  dtype::pack(type, 4, pairs, packed.data());
  auto& send =
      PartitionedSend::make(engine, 1, header(0, 7, parts), {2, {reinterpret_cast<std::byte*>(pairs), 2, &type}});
  EXPECT_EQ(latest(PartitionedKind::offer).read<PartitionedOffer>().bytes, 48U);
  const auto id = offered();
  engine.start(send);
  say_ready(id);
  send.ready(1);
  EXPECT_EQ(latest(PartitionedKind::data).read<Data>().offset, 24U);
  EXPECT_EQ(device.sent.back().body, Bytes(packed.begin() + 24, packed.end()));
  send.ready(0);
  EXPECT_EQ(latest(PartitionedKind::data).read<Data>().offset, 0U);
  EXPECT_EQ(device.sent.back().body, Bytes(packed.begin(), packed.begin() + 24));
  EXPECT_TRUE(send.done);
  engine.release(send);
}

}  // namespace
}  // namespace bowline::proto
