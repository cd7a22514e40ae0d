// SPDX-License-Identifier: BSD-3-Clause
// The memory of buffered sends: where messages lie in it, when they give it back, and who hears of that.
#include "proto/sending/bsend_buffer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class BufferedSends : public ProtocolTest {
 protected:
  BufferedSends() {
    device.refuse = [this](int) { return room-- <= 0; };
  }
  void bsend(std::size_t bytes, unsigned seed, int to = 1) {
    Bytes data = pattern(bytes, seed);
    sends.send(engine, to, header(0, static_cast<int>(seed)), buffer(data));
    std::ranges::fill(data, untouched);  // the user may
  }
  bool lies_at(std::size_t offset, std::size_t bytes, unsigned seed) const {
    const Bytes data = pattern(bytes, seed);
    return std::equal(data.begin(), data.end(), memory.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  /// Lets some messages leave.
  void leave(int count) {
    room = count;
    engine.progress();
    room = 0;
  }
  void expect_no_room(std::size_t bytes) {
    try {
      bsend(bytes, 99);
      ADD_FAILURE() << "there was room for " << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::buffer);
      EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos) << error.what();
    }
  }
  static void dispose(Request& request) { static_cast<SpecialRequest&>(request).dispose(); }

  int room = 0;  ///< messages that the ring takes
  Bytes memory = Bytes(1024, untouched);
  BsendBuffer sends;
};

TEST_F(BufferedSends, OneBufferAtATime) {
  expect_no_room(1);  // nothing is attached
  EXPECT_THROW(sends.try_detach(), Error);
  sends.attach(memory);
  EXPECT_TRUE(sends.attached());
  EXPECT_THROW(sends.attach(memory), Error);
  EXPECT_THROW(sends.attach_automatic(), Error);
  EXPECT_EQ(sends.try_detach()->memory.data(), memory.data());
  sends.attach_automatic();
  EXPECT_TRUE(sends.automatic());
  EXPECT_TRUE(sends.try_detach()->automatic);
  EXPECT_FALSE(sends.attached());
}

TEST_F(BufferedSends, ABufferWithMessagesIsNotDetached) {
  sends.attach(memory);
  bsend(100, 1);
  const std::uint64_t first = sends.latest();
  EXPECT_FALSE(sends.try_detach());
  bsend(100, 2);  // of another thread, while the one that detaches waits
  leave(1);
  EXPECT_TRUE(sends.left(first));
  EXPECT_FALSE(sends.try_detach());
  leave(1);
  EXPECT_TRUE(sends.try_detach());
}

TEST_F(BufferedSends, AMessageThatLeavesAtOnceIsNotCopied) {
  sends.attach(memory);
  room = 1;
  bsend(100, 1);
  EXPECT_EQ(latest(Kind::eager).body, pattern(100, 1));
  EXPECT_EQ(memory, Bytes(1024, untouched));
  EXPECT_TRUE(sends.left(sends.latest()));
}

TEST_F(BufferedSends, AMessageThatWaitsIsCopiedAndLeavesAsItWas) {
  sends.attach(memory);
  bsend(100, 1);
  EXPECT_TRUE(device.sent.empty());
  EXPECT_FALSE(sends.left(sends.latest()));
  leave(1);
  EXPECT_EQ(latest(Kind::eager).body, pattern(100, 1));
  EXPECT_TRUE(sends.left(sends.latest()));
}

TEST_F(BufferedSends, MessagesTakeTheFirstGapThatIsLongEnough) {
  sends.attach(memory);
  bsend(256, 1, 1);
  bsend(256, 2, 2);
  bsend(256, 3, 3);
  EXPECT_TRUE(lies_at(0, 256, 1));
  EXPECT_TRUE(lies_at(256, 256, 2));
  EXPECT_TRUE(lies_at(512, 256, 3));
  device.refuse = [](int rank) { return rank != 2; };
  engine.progress();  // the middle one leaves
  device.refuse = [](int) { return true; };
  expect_no_room(257);  // though more is free: 256 bytes here and there
  bsend(100, 5);
  EXPECT_TRUE(lies_at(256, 100, 5));
  bsend(100, 6);
  EXPECT_TRUE(lies_at(256 + 112, 100, 6)) << "pieces begin at multiples of 16";
  device.refuse = nullptr;
  engine.drain();
  EXPECT_EQ(device.sent.size(), 5U);
}

TEST_F(BufferedSends, AMessageMayFillTheBufferToTheLastByte) {
  sends.attach(memory);
  expect_no_room(1025);
  bsend(1024, 1);
  expect_no_room(1);
  bsend(0, 2);  // needs none
  leave(1);
  bsend(1000, 3);
  bsend(1008 - 1000, 4);
  leave(10);
  EXPECT_EQ(device.sent.size(), 4U);
  EXPECT_TRUE(sends.left(sends.latest()));
}

TEST_F(BufferedSends, TheLastPieceNeedsNoRounding) {
  sends.attach(std::span(memory).first(100));
  bsend(90, 1);
  bsend(4, 2);
  EXPECT_TRUE(lies_at(96, 4, 2));
  expect_no_room(1);
  leave(2);
  bsend(100, 3);
  leave(1);
}

TEST_F(BufferedSends, RoomIsUsedAgainAndAgain) {
  sends.attach(memory);
  for (unsigned i = 0; i < 100; ++i) {
    bsend(500, i);
    bsend(500, i + 1);
    expect_no_room(100);
    leave(2);
  }
  EXPECT_EQ(device.sent.size(), 200U);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(device.sent[2 * i + 1].body, pattern(500, i + 1));
}

TEST_F(BufferedSends, ALongMessageWaitsForItsReceiver) {
  Bytes large(60'000);
  sends.attach(large);
  room = 1;
  bsend(50'000, 1);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  EXPECT_EQ(offer.address, reinterpret_cast<std::uint64_t>(large.data()));
  EXPECT_FALSE(sends.left(sends.latest()));
  device.deliver(1, Kind::finished, SendId{offer.send_id});
  engine.progress();
  EXPECT_TRUE(sends.left(sends.latest()));
}

TEST_F(BufferedSends, AnAutomaticBufferHasNoEnd) {
  sends.attach_automatic();
  for (unsigned i = 0; i < 20; ++i) bsend(5000, i);
  leave(20);
  ASSERT_EQ(device.sent.size(), 20U);
  for (unsigned i = 0; i < 20; ++i) EXPECT_EQ(device.sent[i].body, pattern(5000, i));
}

TEST_F(BufferedSends, HolesAreNotBuffered) {
  struct DoubleInt {
    double value;
    int index;
  };
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);
  const DoubleInt pairs[2] = {{1.5, 1}, {2.5, 2}};
  Bytes packed(24);
  dtype::pack(type, 2, pairs, packed.data());
  Bytes copy(sizeof pairs);
  std::memcpy(copy.data(), pairs, sizeof pairs);
  sends.attach(std::span(memory).first(24));
  sends.send(engine, 1, header(0, 1), {copy.data(), 2, &type});
  leave(1);
  EXPECT_EQ(latest(Kind::eager).body, packed);
}

TEST_F(BufferedSends, AFlushWaitsForWhatWasSentBeforeIt) {
  sends.attach(memory);
  Request& early = sends.flush_request(context);
  EXPECT_TRUE(early.done);
  bsend(100, 1, 1);
  bsend(100, 2, 2);
  Request& flush = sends.flush_request(context);
  bsend(100, 3, 3);
  Request& later = sends.flush_request(context);
  device.refuse = [](int rank) { return rank != 2; };
  engine.progress();
  EXPECT_FALSE(flush.done) << "the first message has not left";
  device.refuse = [](int rank) { return rank == 3; };
  engine.progress();
  EXPECT_TRUE(flush.done);
  EXPECT_FALSE(later.done);
  device.refuse = nullptr;
  engine.progress();
  EXPECT_TRUE(later.done);
  for (Request* request : {&early, &flush, &later}) dispose(*request);
}

TEST_F(BufferedSends, AMessageToAnUnreachablePeerTakesNoRoom) {
  Engine broken(
      4, [](int) -> std::unique_ptr<transport::Endpoint> { throw Error(ErrorClass::other, "no way"); }, WaitPolicy{},
      lock);
  sends.attach(memory);
  Bytes data = pattern(1024);
  EXPECT_THROW(sends.send(broken, 1, header(0, 1), buffer(data)), Error);
  EXPECT_TRUE(sends.left(sends.latest()));
  bsend(1024, 2);
  leave(1);
}

}  // namespace
}  // namespace bowline::proto
