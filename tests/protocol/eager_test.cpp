// SPDX-License-Identifier: BSD-3-Clause
// Short messages: straight onto the wire, and from there into the oldest receive that accepts them.
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "dtype/signature.hpp"
#include "recording.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

using test::Setting;

class Eager : public ProtocolTest {
 protected:
  static constexpr std::uint32_t other = make_context(2, 0, Purpose::point_to_point);
  static constexpr std::uint32_t collective = with_purpose(context, Purpose::collective);
};

// ---- sending

TEST_F(Eager, ASendIsOneMessageWithTheWholeBody) {
  Bytes data = pattern(100);
  engine.send(2, header(0, 7), buffer(data));
  ASSERT_EQ(device.sent.size(), 1U);
  const Message& message = device.sent[0];
  EXPECT_EQ(message.rank, 2);
  EXPECT_EQ(message.kind(), Kind::eager);
  EXPECT_EQ(message.header.context, context);
  EXPECT_EQ(message.header.source, 0);
  EXPECT_EQ(message.header.tag, 7);
  EXPECT_TRUE(message.prefix.empty());
  EXPECT_EQ(message.body, data);
}

TEST_F(Eager, AnImmediateSendThatIsDoneAtOnceSharesItsRequest) {
  Bytes data = pattern(8);
  Request& one = isend(1, 1, data);
  Request& two = isend(2, 2, data);
  EXPECT_EQ(&one, &completed_request());
  EXPECT_EQ(&two, &completed_request());
  EXPECT_TRUE(one.done);
  EXPECT_TRUE(one.shared);
  EXPECT_EQ(one.mark, Request::alive);
  for (int i = 0; i < 3; ++i) engine.release(one);
  EXPECT_TRUE(completed_request().done);
  EXPECT_EQ(completed_request().mark, Request::alive);
  EXPECT_EQ(device.sent.size(), 2U);
}

TEST_F(Eager, PeersAreConnectedAtFirstContact) {
  Bytes data = pattern(8);
  EXPECT_EQ(device.connections, 0);
  isend(1, 1, data);
  isend(1, 2, data);
  EXPECT_EQ(device.connections, 1);
  isend(3, 1, data);
  EXPECT_EQ(device.connections, 2);
}

TEST_F(Eager, AMessageFromAPeerThatNobodyWroteToMakesNoConnection) {
  device.deliver(2, header(2, 1), pattern(8));
  Bytes data(8, untouched);
  engine.receive({context, 2, 1}, buffer(data));
  EXPECT_EQ(data, pattern(8));
  EXPECT_EQ(device.connections, 0);
}

TEST_F(Eager, TheLimitDividesEagerFromRendezvous) {
  const Setting setting("eager_limit", "1000");
  Bytes at_limit = pattern(1000);
  Bytes beyond = pattern(1001);
  isend(1, 1, at_limit);
  engine.release(isend(1, 2, beyond));
  ASSERT_EQ(device.sent.size(), 2U);
  EXPECT_EQ(device.sent[0].kind(), Kind::eager);
  EXPECT_EQ(device.sent[1].kind(), Kind::ready_to_send);
  device.deliver(1, Kind::finished, SendId{device.sent[1].read<ReadyToSend>().send_id});
  engine.drain();
}

TEST_F(Eager, TheTransportsLimitCountsToo) {
  device.limits.max_body = 500;
  Bytes beyond = pattern(501);
  Request& request = isend(1, 1, beyond);
  ASSERT_EQ(device.sent.size(), 1U);
  EXPECT_EQ(device.sent[0].kind(), Kind::ready_to_send);
  device.deliver(1, Kind::finished, SendId{device.sent[0].read<ReadyToSend>().send_id});
  engine.wait(request);
  engine.release(request);
}

TEST_F(Eager, EmptyMessagesNeedNoBuffer) {
  engine.send(1, header(0, 3), {nullptr, 0, &dtype::byte_type()});
  ASSERT_EQ(device.sent.size(), 1U);
  EXPECT_TRUE(device.sent[0].body.empty());
  device.deliver(1, header(1, 3));
  const Status status = engine.receive({context, 1, 3}, {nullptr, 0, &dtype::byte_type()});
  EXPECT_EQ(status.bytes, 0U);
}

// ---- matching

TEST_F(Eager, APostedReceiveIsFilled) {
  Bytes data(10, untouched);
  Request& request = ireceive(1, 7, data);
  EXPECT_EQ(engine.progress(), 0U);
  EXPECT_FALSE(request.done);
  device.deliver(1, header(1, 7), pattern(6));
  EXPECT_EQ(engine.progress(), 1U);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.source, 1);
  EXPECT_EQ(request.status.tag, 7);
  EXPECT_EQ(request.status.bytes, 6U);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  Bytes expected = pattern(6);
  expected.resize(10, untouched);
  EXPECT_EQ(data, expected);
  engine.release(request);
}

TEST_F(Eager, AnUnexpectedMessageWaits) {
  device.deliver(3, header(3, 7), pattern(6));
  engine.progress();
  Bytes data(6);
  Request& request = ireceive(3, 7, data);
  EXPECT_TRUE(request.done);
  EXPECT_EQ(data, pattern(6));
  EXPECT_EQ(request.status.source, 3);
  engine.release(request);
}

TEST_F(Eager, ABlockingReceiveWaits) {
  Bytes data(6);
  device.script.push_back([&] { device.deliver(1, header(1, 9), pattern(6, 2)); });  // another tag
  device.script.push_back([&] { device.deliver(1, header(1, 8), pattern(6, 1)); });
  const Status status = engine.receive({context, 1, 8}, buffer(data));
  EXPECT_EQ(status.tag, 8);
  EXPECT_EQ(data, pattern(6, 1));
}

TEST_F(Eager, MessagesAreTakenInTheOrderOfTheirArrival) {
  for (unsigned i = 0; i < 5; ++i) device.deliver(1, header(1, 7), pattern(4, i));
  engine.progress();
  for (unsigned i = 0; i < 5; ++i) {
    Bytes data(4);
    engine.receive({context, 1, 7}, buffer(data));
    EXPECT_EQ(data, pattern(4, i));
  }
}

TEST_F(Eager, ReceivesAreFilledInTheOrderOfTheirPosting) {
  Bytes data[3] = {Bytes(4), Bytes(4), Bytes(4)};
  Request* requests[3];
  for (int i = 0; i < 3; ++i) requests[i] = &ireceive(1, 7, data[i]);
  for (unsigned i = 0; i < 3; ++i) {
    device.deliver(1, header(1, 7), pattern(4, i));
    engine.progress();
    for (unsigned j = 0; j < 3; ++j) EXPECT_EQ(requests[j]->done, j <= i);
    EXPECT_EQ(data[i], pattern(4, i));
  }
  for (Request* request : requests) engine.release(*request);
}

TEST_F(Eager, AMessageTakesTheOldestReceiveThatAcceptsIt) {
  Bytes data[4] = {Bytes(4), Bytes(4), Bytes(4), Bytes(4)};
  Request& other_source = ireceive(2, 7, data[0]);
  Request& other_tag = ireceive(1, 8, data[1]);
  Request& wildcard = ireceive(any_source, any_tag, data[2]);
  Request& exact = ireceive(1, 7, data[3]);
  device.deliver(1, header(1, 7), pattern(4, 1));
  engine.progress();
  EXPECT_TRUE(wildcard.done);
  EXPECT_FALSE(exact.done);
  EXPECT_EQ(wildcard.status.source, 1);
  EXPECT_EQ(wildcard.status.tag, 7);
  device.deliver(1, header(1, 7), pattern(4, 2));
  device.deliver(1, header(1, 8), pattern(4, 3));
  device.deliver(2, header(2, 7), pattern(4, 4));
  engine.progress();
  EXPECT_EQ(data[3], pattern(4, 2));
  EXPECT_EQ(data[1], pattern(4, 3));
  EXPECT_EQ(data[0], pattern(4, 4));
  for (Request* request : {&other_source, &other_tag, &wildcard, &exact}) engine.release(*request);
}

TEST_F(Eager, AReceiveTakesTheOldestMessageThatItAccepts) {
  device.deliver(1, header(1, 5), pattern(4, 0));
  device.deliver(2, header(2, 6), pattern(4, 1));
  device.deliver(1, header(1, 6), pattern(4, 2));
  device.deliver(2, header(2, 5), pattern(4, 3));
  engine.progress();
  Bytes data(4);
  const auto receive = [&](int source, int tag) { return engine.receive({context, source, tag}, buffer(data)); };
  receive(any_source, 6);
  EXPECT_EQ(data, pattern(4, 1));
  receive(2, any_tag);
  EXPECT_EQ(data, pattern(4, 3));
  const Status status = receive(any_source, any_tag);
  EXPECT_EQ(data, pattern(4, 0));
  EXPECT_EQ(status.source, 1);
  EXPECT_EQ(status.tag, 5);
  receive(1, 6);
  EXPECT_EQ(data, pattern(4, 2));
}

TEST_F(Eager, TheSourceIsTheRankInTheCommunicator) {
  // World rank 3 is rank 0 of the communicator whose context this is.
  device.deliver(3, header(0, 1, other), pattern(4));
  Bytes data(4);
  const Status status = engine.receive({other, 0, 1}, buffer(data));
  EXPECT_EQ(status.source, 0);
}

TEST_F(Eager, ContextsDoNotMeet) {
  device.deliver(1, header(1, 7, other), pattern(4, 8));
  device.deliver(1, header(1, 7, collective), pattern(4, 9));
  engine.progress();
  Bytes untaken(4), data(4);
  Request& request = engine.ireceive({context, any_source, any_tag}, buffer(untaken));
  EXPECT_FALSE(request.done);
  engine.receive({collective, any_source, any_tag}, buffer(data));
  EXPECT_EQ(data, pattern(4, 9));
  engine.receive({other, any_source, any_tag}, buffer(data));
  EXPECT_EQ(data, pattern(4, 8));
  EXPECT_FALSE(request.done);
  device.deliver(1, header(1, 7), pattern(4));
  engine.wait(request);
  engine.release(request);
}

TEST_F(Eager, WhatNobodyReceivesIsDroppedWithTheEngine) {
  for (int i = 0; i < 10; ++i) device.deliver(1, header(1, i), pattern(1000));
  EXPECT_EQ(engine.progress(), 10U);  // AddressSanitizer's leak check is the rest of this test
}

// ---- truncation

void expect_truncation_text(const std::string& text) {
  EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
  EXPECT_NE(text.find("tag 7"), std::string::npos) << text;
  EXPECT_NE(text.find("has 10 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("after 6 (6 x MPI_BYTE)"), std::string::npos) << text;
}

TEST_F(Eager, ALongMessageFillsAPostedReceiveAndFailsIt) {
  Bytes memory(8, untouched);
  Request& request = engine.ireceive({context, 1, 7}, {memory.data(), 6, &dtype::byte_type()});
  device.deliver(1, header(1, 7), pattern(10));
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(request.status.bytes, 6U);
  expect_truncation_text(request.failure->what());
  Bytes expected = pattern(6);
  expected.resize(8, untouched);
  EXPECT_EQ(memory, expected);
  engine.release(request);
}

TEST_F(Eager, ALongMessageThatWaitedFailsTheReceiveToo) {
  device.deliver(1, header(1, 7), pattern(10));
  engine.progress();
  Bytes memory(8, untouched);
  try {
    engine.receive({context, 1, 7}, {memory.data(), 6, &dtype::byte_type()});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::truncate);
    expect_truncation_text(error.what());
  }
  Bytes expected = pattern(6);
  expected.resize(8, untouched);
  EXPECT_EQ(memory, expected);
  // The message is gone, and the next one is received as if nothing had been.
  device.deliver(1, header(1, 7), pattern(3, 5));
  Bytes data(3);
  engine.receive({context, 1, 7}, buffer(data));
  EXPECT_EQ(data, pattern(3, 5));
}

TEST_F(Eager, AMessageThatIsTooLongSaysWhatItsDataAreIfItKnows) {
  Bytes memory(6);
  Request& request = ireceive(1, 7, memory);
  transport::Header typed = header(1, 7);
  typed.kind = static_cast<std::uint8_t>(Kind::eager_typed);
  typed.mark = static_cast<std::uint16_t>(dtype::Signature::integer32);
  device.deliver(1, typed, pattern(12));
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  const std::string text = request.failure->what();
  EXPECT_NE(text.find("has 12 bytes (32-bit integers), but the receive buffer ends after 6"), std::string::npos)
      << text;
  engine.release(request);
}

TEST_F(Eager, AnEmptyBufferTakesNothingOfALongMessage) {
  Request& request = engine.ireceive({context, 1, 7}, {nullptr, 0, &dtype::byte_type()});
  device.deliver(1, header(1, 7), pattern(10));
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::truncate);
  EXPECT_EQ(request.status.bytes, 0U);
  engine.release(request);
}

// ---- buffers with holes

struct DoubleInt {
  double value;
  int index;
};
const dtype::Datatype& double_int() {
  return *dtype::predefined_datatype(0x229);
}

TEST_F(Eager, HolesAreNotSent) {
  DoubleInt pairs[2] = {{1.5, 1}, {2.5, 2}};
  engine.send(1, header(0, 7), {reinterpret_cast<std::byte*>(pairs), 2, &double_int()});
  ASSERT_EQ(device.sent.size(), 1U);
  EXPECT_EQ(device.sent[0].kind(), Kind::eager);
  Bytes packed(24);
  dtype::pack(double_int(), 2, pairs, packed.data());
  EXPECT_EQ(device.sent[0].body, packed);
}

TEST_F(Eager, HolesAreNotReceivedInto) {
  const DoubleInt pairs[2] = {{1.5, 1}, {2.5, 2}};
  Bytes packed(24);
  dtype::pack(double_int(), 2, pairs, packed.data());
  device.deliver(1, header(1, 7), packed);
  Bytes memory(2 * sizeof(DoubleInt), untouched);
  Bytes expected = memory;
  dtype::unpack(double_int(), packed.data(), 24, expected.data());
  EXPECT_EQ(engine.receive({context, 1, 7}, {memory.data(), 2, &double_int()}).bytes, 24U);
  EXPECT_EQ(memory, expected);
  EXPECT_EQ(memory[12], untouched);
}

// ---- probing

TEST_F(Eager, ProbeTellsAndLeavesTheMessage) {
  Status status;
  EXPECT_FALSE(engine.iprobe({context, any_source, any_tag}, status));
  device.deliver(2, header(2, 5), pattern(11));
  EXPECT_TRUE(engine.iprobe({context, any_source, any_tag}, status));
  EXPECT_EQ(status.source, 2);
  EXPECT_EQ(status.tag, 5);
  EXPECT_EQ(status.bytes, 11U);
  EXPECT_FALSE(engine.iprobe({context, 1, any_tag}, status));
  EXPECT_FALSE(engine.iprobe({context, 2, 6}, status));
  EXPECT_FALSE(engine.iprobe({other, any_source, any_tag}, status));
  EXPECT_TRUE(engine.iprobe({context, 2, 5}, status));
  Bytes data(11);
  engine.receive({context, 2, 5}, buffer(data));
  EXPECT_EQ(data, pattern(11));
  EXPECT_FALSE(engine.iprobe({context, any_source, any_tag}, status));
}

TEST_F(Eager, ABlockingProbeWaitsForTheMessageItAsksFor) {
  device.script.push_back([&] { device.deliver(1, header(1, 1), pattern(1)); });
  device.script.push_back([&] { device.deliver(3, header(3, 2), pattern(2)); });
  EXPECT_EQ(engine.probe({context, any_source, 2}).source, 3);
}

TEST_F(Eager, AProbeSeesNoMessageThatAReceiveHasTaken) {
  Bytes data(4);
  Request& request = ireceive(1, 7, data);
  device.deliver(1, header(1, 7), pattern(4));
  Status status;
  EXPECT_FALSE(engine.iprobe({context, any_source, any_tag}, status));
  EXPECT_TRUE(request.done);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
