// SPDX-License-Identifier: BSD-3-Clause
// A connection that this process breaks off, or the peer: whatever waits for the peer fails with the reason, as does
// what begins later; nothing that it still sends is heard; others do not notice.
#include "broken_off.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "proto/sending/bsend_buffer.hpp"
#include "proto/services/partitioned.hpp"

namespace bowline::proto {
namespace {

const Error nonsense(ErrorClass::intern, "it sends nonsense");

class BrokenOffConnection : public BrokenOff {
 protected:
  void break_off() { engine.liveness().break_off(1, nonsense); }
  void expect_nonsense(Request& request) {
    expect_failed(request, ErrorClass::intern, nonsense.what());
    engine.release(request);
  }
};

TEST_F(BrokenOffConnection, ThePeerIsTold) {
  engine.send(1, header(0, 7), buffer(data));
  break_off();
  const Message& told = latest(Kind::broken_off);
  EXPECT_EQ(told.rank, 1);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(told.body.data()), told.body.size()), nonsense.what());
  EXPECT_EQ(directory.found, std::vector<int>{1});
  expect_others_served();
}

TEST_F(BrokenOffConnection, ThePeerIsToldWhenItHasRoom) {
  device.refuse = [](int rank) { return rank == 1; };
  engine.send(2, header(0, 7), buffer(data));
  Request& waits = isend(1, 7, data);
  break_off();
  expect_nonsense(waits);
  EXPECT_EQ(sent(Kind::broken_off), 0);
  device.refuse = nullptr;
  engine.drain();
  EXPECT_EQ(sent(Kind::broken_off), 1);
  EXPECT_EQ(sent(Kind::eager), 0);
}

TEST_F(BrokenOffConnection, WhatWaitsFails) {
  Request& announced = isend(1, 1, large);
  Request& synchronous = engine.isend(1, header(0, 2), buffer(data), Mode::synchronous);
  Request& posted = ireceive(1, 3, target);
  Request& anything = ireceive(any_source, 4, target);
  Request& other = ireceive(2, 5, target);
  break_off();
  for (Request* request : {&announced, &synchronous, &posted}) expect_nonsense(*request);
  expect_pending(anything, nonsense.what());
  EXPECT_FALSE(other.done);
  device.deliver(2, header(2, 5), data);
  engine.wait(other);
  EXPECT_EQ(other.failure, nullptr);
  engine.release(other);
  engine.drain();
}

TEST_F(BrokenOffConnection, WhatComesFails) {
  device.readable = false;  // by the pipeline
  Bytes whole(large.size());
  Request& comes = ireceive(1, 7, whole);
  offer(1, 7, large, 9);
  engine.progress();
  const auto clear = latest(Kind::clear_to_send).read<ClearToSend>();
  break_off();
  expect_nonsense(comes);
  deliver_pieces_of(large, clear);  // nobody is there any more
  engine.progress();
}

TEST_F(BrokenOffConnection, WhatIsWrittenFailsWhenThatHasEnded) {
  device.delayed = true;
  Bytes whole(large.size());
  Request& sending = begin_put(large, whole);
  break_off();
  EXPECT_FALSE(sending.done);  // the adapter still reads the buffer
  device.end_access(&nonsense);
  expect_nonsense(sending);
}

TEST_F(BrokenOffConnection, WhatBeginsLaterFails) {
  break_off();
  device.sent.clear();
  for (Bytes* bytes : {&data, &large}) {
    EXPECT_THROW(engine.send(1, header(0, 1), buffer(*bytes)), Error);
    expect_nonsense(isend(1, 1, *bytes));
    expect_nonsense(engine.isend(1, header(0, 1), buffer(*bytes), Mode::synchronous));
  }
  Request& persistent = engine.make_send(1, header(0, 7), buffer(data), Mode::standard);
  engine.start(persistent);
  expect_nonsense(persistent);
  EXPECT_FALSE(engine.try_send(1, header(0, 1), buffer(data)));
  EXPECT_TRUE(device.sent.empty());
  EXPECT_THROW(engine.receive({context, 1, 7}, buffer(target)), Error);
  EXPECT_THROW(engine.probe({context, 1, 7}), Error);
  engine.drain();
  expect_others_served();
}

TEST_F(BrokenOffConnection, NothingIsHeardOfItAnyMore) {
  Request& doomed = ireceive(1, any_tag, target);
  break_off();
  expect_nonsense(doomed);
  Request& other = ireceive(any_source, any_tag, target);
  device.deliver(1, header(1, 7), pattern(10, 1));
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10));
  offer(1, 7, large, 9);
  device.deliver(1, {.context = context, .kind = static_cast<std::uint8_t>(Kind::announce_long)});
  engine.progress();
  EXPECT_FALSE(other.done);
  device.deliver(2, header(2, 8), pattern(20, 2));
  engine.wait(other);
  EXPECT_EQ(other.status.source, 2);
  engine.release(other);
  EXPECT_TRUE(engine.matching().queue(context).unexpected.empty());
}

TEST_F(BrokenOffConnection, WhatCameBeforeIsReceived) {
  device.deliver(1, header(1, 7), pattern(10, 1));
  offer(1, 8, large, 9);
  engine.progress();
  break_off();
  EXPECT_EQ(engine.receive({context, 1, 7}, buffer(target)).bytes, 10U);
  Request& announced = ireceive(1, 8, target);  // its data cannot come
  expect_nonsense(announced);
}

TEST_F(BrokenOffConnection, PartitionedOperationsFail) {
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  const Partitions two{2, {data.data(), 50, &dtype::byte_type()}};
  PartitionedSend& waits = PartitionedSend::make(engine, 1, header(0, 7, parts), two);
  PartitionedSend& going = PartitionedSend::make(engine, 1, header(0, 8, parts), two);
  PartitionedReceive& receive = PartitionedReceive::make(engine, 1, header(1, 9, parts), two);
  const auto id = latest(PartitionedKind::offer).read<PartitionedOffer>().send_id;
  for (Request* request : std::initializer_list<Request*>{&waits, &going, &receive}) engine.start(*request);
  device.deliver(1, PartitionedKind::ready, PartitionedReady{.send_id = id, .receive_id = 77}, header(0, 8, parts));
  engine.progress();
  waits.ready(0);
  break_off();
  going.ready(0);
  going.ready(1);
  waits.ready(1);
  for (Request* request : std::initializer_list<Request*>{&waits, &going, &receive}) expect_nonsense(*request);
}

TEST_F(BrokenOffConnection, BufferedMessagesForItGiveTheirRoomBack) {
  device.refuse = [](int) { return true; };
  Bytes memory(1000);
  BsendBuffer buffered;
  buffered.attach(memory);
  buffered.send(engine, 1, header(0, 7), buffer(data));
  EXPECT_FALSE(buffered.left(buffered.latest()));
  break_off();
  EXPECT_TRUE(buffered.left(buffered.latest()));
}

TEST_F(BrokenOffConnection, ItIsBrokenOffOnce) {
  break_off();
  engine.liveness().break_off(1, Error(ErrorClass::other, "something else"));
  EXPECT_EQ(directory.found, std::vector<int>{1});
  expect_nonsense(isend(1, 1, data));
}

// ---- by the peer

TEST_F(BrokenOffConnection, ThePeersReasonReachesTheUser) {
  Request& request = ireceive(1, 7, target);
  const std::string why = "no memory is left there";
  device.deliver(1, {.kind = static_cast<std::uint8_t>(Kind::broken_off)}, std::as_bytes(std::span(why)));
  engine.progress();
  expect_failed(request, ErrorClass::other, why);
  engine.release(request);
  expect_others_served();
}

// ---- by a device

TEST_F(BrokenOffConnection, ADeviceThatCannotReceiveFromAPeerSaysSo) {
  class Deaf final : public transport::Device {
   public:
    std::string_view name() const override { return "deaf"; }
    transport::Address address() const override { return {}; }
    std::unique_ptr<transport::Endpoint> connect(int, const transport::Address&) override { return nullptr; }
    unsigned poll(transport::Sink& sink) noexcept override { return sink.broken(1, nonsense), 0; }
  } deaf;
  Request& request = ireceive(1, 7, target);
  engine.add_device(deaf);
  engine.progress();
  expect_nonsense(request);
  expect_others_served();
}

}  // namespace
}  // namespace bowline::proto
