// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication, the receiver's side, against crafted offers and data of the sender.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "proto/services/partitioned.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class PartitionedReceives : public ProtocolTest {
 protected:
  static constexpr int count = 4;
  static constexpr std::size_t each = 100;
  static constexpr std::size_t total = count * each;
  static constexpr std::uint32_t parts = with_purpose(context, Purpose::partitioned);

  PartitionedReceive& make(int from = 1, int tag = 7, std::size_t bytes = each) {
    return PartitionedReceive::make(engine, from, header(from, tag, parts),
                                    {count, {data.data(), bytes, &dtype::byte_type()}});
  }
  void offer_parts(std::uint64_t send_id, std::size_t bytes = total, int tag = 7, int from = 1) {
    device.deliver(from, PartitionedKind::offer, PartitionedOffer{.send_id = send_id, .bytes = bytes},
                   header(from, tag, parts));
    engine.progress();
  }
  void deliver_part(std::uint64_t receive_id, std::size_t offset, std::size_t bytes) {
    device.deliver(1, PartitionedKind::data, Data{.receive_id = receive_id, .offset = offset}, header(1, 7, parts),
                   std::span(theirs).subspan(offset, bytes));
    engine.progress();
  }
  PartitionedReady said_ready() { return latest(PartitionedKind::ready).read<PartitionedReady>(); }

  const Bytes theirs = pattern(2 * total, 3);
  const Bytes expected = Bytes(theirs.begin(), theirs.begin() + total);
  Bytes data = Bytes(total, untouched);
};

TEST_F(PartitionedReceives, TheOfferMayComeFirst) {
  offer_parts(5);
  PartitionedReceive& receive = make();
  EXPECT_TRUE(device.sent.empty());
  engine.start(receive);
  EXPECT_EQ(said_ready().send_id, 5U);
  EXPECT_EQ(device.sent.back().rank, 1);
  receive.dispose();
}

TEST_F(PartitionedReceives, TheOfferMayComeLast) {
  PartitionedReceive& receive = make();
  engine.start(receive);
  EXPECT_TRUE(device.sent.empty());
  offer_parts(5);
  EXPECT_EQ(said_ready().send_id, 5U);
  receive.dispose();
}

TEST_F(PartitionedReceives, TheOfferMayComeBetween) {
  PartitionedReceive& receive = make();
  offer_parts(5);
  EXPECT_TRUE(device.sent.empty());
  engine.start(receive);
  EXPECT_EQ(said_ready().send_id, 5U);
  receive.dispose();
}

TEST_F(PartitionedReceives, OffersAndReceivesMeetInTheOrderOfTheirInitialization) {
  offer_parts(1, total, 7);
  offer_parts(2, total, 8);
  offer_parts(3, total, 7);
  offer_parts(4, total, 7, 2);
  PartitionedReceive& a = make(1, 7);
  PartitionedReceive& b = make(1, 7);
  PartitionedReceive& c = make(1, 8);
  PartitionedReceive& d = make(1, 7);  // has to wait
  PartitionedReceive& e = make(2, 7);
  for (const auto& [receive, id] : {std::pair{&b, 3U}, {&a, 1U}, {&c, 2U}, {&e, 4U}}) {
    engine.start(*receive);
    EXPECT_EQ(said_ready().send_id, id);
  }
  device.sent.clear();
  engine.start(d);
  EXPECT_TRUE(device.sent.empty());
  offer_parts(9);
  EXPECT_EQ(said_ready().send_id, 9U);
  for (PartitionedReceive* receive : {&a, &b, &c, &d, &e}) receive->dispose();
}

TEST_F(PartitionedReceives, DataComeInAnyOrderAndPieces) {
  offer_parts(5);
  PartitionedReceive& receive = make();
  for (int round = 0; round < 3; ++round) {
    std::ranges::fill(data, untouched);
    engine.start(receive);
    const auto id = said_ready().receive_id;
    // The sender has cut the message into three.
    deliver_part(id, 250, 150);
    EXPECT_TRUE(receive.arrived(3));
    EXPECT_FALSE(receive.arrived(2)) << "half of it is here";
    deliver_part(id, 0, 100);
    EXPECT_TRUE(receive.arrived(0));
    EXPECT_FALSE(receive.arrived(1));
    deliver_part(id, 100, 50);
    EXPECT_FALSE(receive.done);
    deliver_part(id, 150, 100);
    EXPECT_TRUE(receive.done);
    EXPECT_EQ(data, expected);
    EXPECT_EQ(receive.status.source, 1);
    EXPECT_EQ(receive.status.tag, 7);
    EXPECT_EQ(receive.status.bytes, total);
    engine.retire(receive);
    for (int i = 0; i < count; ++i) EXPECT_TRUE(receive.arrived(i));
  }
  EXPECT_EQ(device.sent.size(), 3U) << "once per round";
  engine.release(receive);
}

TEST_F(PartitionedReceives, AShorterMessageFillsWhatItHas) {
  offer_parts(5, 150);
  PartitionedReceive& receive = make();
  engine.start(receive);
  deliver_part(said_ready().receive_id, 0, 150);
  EXPECT_TRUE(receive.done);
  EXPECT_EQ(receive.status.bytes, 150U);
  EXPECT_EQ(receive.status.error, ErrorClass::success);
  EXPECT_EQ(data[150], untouched);
  engine.release(receive);
}

TEST_F(PartitionedReceives, ALongerMessageFillsTheBufferAndFails) {
  offer_parts(5, 2 * total);
  PartitionedReceive& receive = make(1, 7, each);
  engine.start(receive);
  const auto id = said_ready().receive_id;
  deliver_part(id, 350, 300);  // across the end
  deliver_part(id, 650, 150);  // beyond it
  deliver_part(id, 0, 350);
  EXPECT_TRUE(receive.done);
  EXPECT_EQ(receive.status.error, ErrorClass::truncate);
  EXPECT_EQ(receive.status.bytes, total);
  EXPECT_EQ(data, expected);
  engine.release(receive);
}

TEST_F(PartitionedReceives, AnEmptyPartitionArrivesWhenTheSenderSaysSo) {
  offer_parts(5, 0);
  PartitionedReceive& receive = make(1, 7, 0);
  for (int round = 0; round < 2; ++round) {
    engine.start(receive);
    const auto id = said_ready().receive_id;
    EXPECT_FALSE(receive.done);
    EXPECT_FALSE(receive.arrived(0));
    deliver_part(id, 0, 0);
    EXPECT_TRUE(receive.arrived(0));
    EXPECT_TRUE(receive.done);
    EXPECT_EQ(receive.status.bytes, 0U);
    engine.retire(receive);
  }
  engine.release(receive);
}

TEST_F(PartitionedReceives, HolesStayAsTheyAre) {
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);  // MPI_DOUBLE_INT
  Bytes memory(4 * 16, untouched);
  Bytes unpacked = memory;
  dtype::unpack(type, theirs.data(), 48, unpacked.data());
  offer_parts(5, 48);
  auto& receive = PartitionedReceive::make(engine, 1, header(1, 7, parts), {2, {memory.data(), 2, &type}});
  engine.start(receive);
  const auto id = said_ready().receive_id;
  deliver_part(id, 20, 28);
  EXPECT_TRUE(receive.arrived(1));
  EXPECT_TRUE(std::equal(memory.begin() + 32, memory.end(), unpacked.begin() + 32));
  deliver_part(id, 0, 20);
  EXPECT_TRUE(receive.done);
  EXPECT_EQ(memory, unpacked);
  engine.release(receive);
}

TEST_F(PartitionedReceives, AFreedReceiveEndsFirst) {
  offer_parts(5);
  PartitionedReceive& receive = make();
  engine.start(receive);
  const auto id = said_ready().receive_id;
  engine.release(receive);
  deliver_part(id, 0, total);
  EXPECT_EQ(data, expected);
  EXPECT_TRUE(PartitionedTable::of(engine).receives.empty());
  deliver_part(id, 0, total);  // nobody is there any more
}

TEST_F(PartitionedReceives, AReceiveThatIsFreedUnmetTakesItsOfferAlong) {
  engine.release(make());
  PartitionedReceive& next = make();
  engine.start(next);
  offer_parts(5);
  EXPECT_EQ(latest(PartitionedKind::released).read<PartitionedReleased>().send_id, 5U);
  offer_parts(6);
  EXPECT_EQ(said_ready().send_id, 6U);
  EXPECT_TRUE(PartitionedTable::of(engine).offers.empty());
  EXPECT_TRUE(PartitionedTable::of(engine).unmatched.empty());
  next.dispose();
}

TEST_F(PartitionedReceives, AReceiveThatIsFreedUnstartedTakesItsOfferAlong) {
  offer_parts(5);
  engine.release(make());
  EXPECT_EQ(latest(PartitionedKind::released).read<PartitionedReleased>().send_id, 5U);
  PartitionedReceive& next = make();
  engine.start(next);
  offer_parts(6);
  EXPECT_EQ(said_ready().send_id, 6U);
  deliver_part(said_ready().receive_id, 0, total);
  device.sent.clear();
  engine.release(next);
  EXPECT_TRUE(device.sent.empty()) << "it was started, so its sender needs to know nothing";
}

TEST_F(PartitionedReceives, AReceiveWhoseSendIsGoneTakesTheNextOffer) {
  offer_parts(5);
  offer_parts(6);
  PartitionedReceive& receive = make();
  engine.start(receive);
  const PartitionedReady first = said_ready();
  EXPECT_EQ(first.send_id, 5U);
  const auto say_gone = [&](const PartitionedReady& ready) {
    device.deliver(1, PartitionedKind::gone, ready, header(1, 7, parts));
    engine.progress();
  };
  say_gone(first);
  EXPECT_EQ(said_ready().send_id, 6U);
  say_gone(first);  // an old answer
  say_gone(said_ready());
  device.sent.clear();
  offer_parts(7);
  EXPECT_EQ(said_ready().send_id, 7U);
  deliver_part(said_ready().receive_id, 0, total);
  EXPECT_TRUE(receive.done);
  EXPECT_EQ(data, expected);
  engine.release(receive);
}

TEST_F(PartitionedReceives, ACommunicatorThatIsGoneLeavesNothing) {
  offer_parts(5);
  engine.release(make(2));
  engine.forget(parts);
  EXPECT_TRUE(PartitionedTable::of(engine).offers.empty());
  EXPECT_TRUE(PartitionedTable::of(engine).unmatched.empty());
}

TEST_F(PartitionedReceives, FromNobodyItEndsAtOnce) {
  PartitionedReceive& receive = make(no_process);
  engine.start(receive);
  EXPECT_TRUE(receive.done);
  EXPECT_EQ(receive.status.source, no_process);
  EXPECT_EQ(receive.status.bytes, 0U);
  EXPECT_TRUE(device.sent.empty());
  engine.release(receive);
}

}  // namespace
}  // namespace bowline::proto
