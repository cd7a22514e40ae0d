// SPDX-License-Identifier: BSD-3-Clause
// Messages from a process that this one cannot make an endpoint to (for want of memory, say). Where such a message has
// to be answered the connection is broken off, and what waits for the process fails; no call but those hears of it.
// Where it may be only for a while, no message is lost, and none comes twice.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "broken_off.hpp"
#include "proto/services/partitioned.hpp"
#include "small_budget.hpp"

namespace bowline::proto {
namespace {

constexpr const char* reason = "no memory for a ring";

class Unreachable : private SmallBudget, public BrokenOff {
 protected:
  Unreachable() { device.unreachable = true; }

  /// First contact with rank 1 has failed in a call that had nothing to do with it: `request` fails, nothing else does.
  void expect_broken_off(Request& request) {
    expect_failed(request, ErrorClass::no_mem, reason);
    engine.release(request);
    EXPECT_EQ(directory.found, std::vector<int>{1});
    EXPECT_NE(directory.reason.find(reason), std::string::npos) << directory.reason;
    device.unreachable = false;
    expect_others_served();
  }
};

TEST_F(Unreachable, AReceiveOfASynchronousMessageFails) {
  Request& request = ireceive(1, 7, data);
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10));
  engine.progress();
  expect_broken_off(request);
}

TEST_F(Unreachable, AReceiveOfALongMessageFails) {
  Request& request = ireceive(1, 7, data);
  offer(1, 7, large, 9);
  engine.progress();
  expect_broken_off(request);
}

TEST_F(Unreachable, AReceiveFromAnySourcePends) {
  Request& request = ireceive(any_source, any_tag, data);
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10));
  engine.progress();
  expect_pending(request, reason);
  engine.cancel(request);
  engine.release(request);
}

TEST_F(Unreachable, APartitionedReceiveFails) {
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  PartitionedReceive& request =
      PartitionedReceive::make(engine, 1, header(1, 7, parts), {2, {data.data(), 50, &dtype::byte_type()}});
  engine.start(request);
  device.deliver(1, PartitionedKind::offer, PartitionedOffer{.send_id = 1, .bytes = 100}, header(1, 7, parts));
  engine.progress();
  expect_broken_off(request);
}

TEST_F(Unreachable, AReceiveThatIsPostedLaterFails) {
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10));
  engine.progress();
  Request& request = ireceive(1, 8, target);
  EXPECT_FALSE(request.done);
  check_liveness();
  expect_broken_off(request);
}

TEST_F(Unreachable, ASendThatBeginsLaterFails) {
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10));
  engine.progress();
  device.unreachable = false;
  EXPECT_THROW(engine.send(1, header(0, 7), buffer(data)), Error);
  expect_broken_off(isend(1, 7, data));
  EXPECT_EQ(sent(Kind::eager), 0);
}

TEST_F(Unreachable, ABlockingCallForAnotherPeerGoesOn) {
  Request& request = ireceive(1, 7, data);
  device.script.push_back([&] { device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10)); });
  device.script.push_back([&] { device.deliver(2, header(2, 5), pattern(20)); });
  EXPECT_EQ(engine.receive({context, 2, 5}, buffer(target)).bytes, 20U);
  expect_broken_off(request);
}

TEST_F(Unreachable, ABlockingReceiveFails) {
  device.script.push_back([&] { offer(1, 7, large, 9); });
  EXPECT_THROW(engine.receive({context, 1, 7}, buffer(target)), Error);
  device.unreachable = false;
  expect_others_served();
}

TEST_F(Unreachable, AFloodArrivesOnceAndTheSenderIsThrottledLater) {
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) device.deliver(1, header(1, i), pattern(500));
  engine.progress();
  device.unreachable = false;
  device.deliver(1, header(1, count), pattern(500));
  engine.progress();
  EXPECT_EQ(sent(Kind::announce_all), 1);
  Bytes taken(500);
  for (int i = 0; i <= count; ++i) EXPECT_EQ(engine.receive({context, 1, any_tag}, buffer(taken)).tag, i);
  EXPECT_TRUE(engine.matching().queue(context).unexpected.empty());
}

// ---- for a while

class UnreachableYet : public BrokenOff {
 protected:
  UnreachableYet() { device.not_yet = true; }
};

TEST_F(UnreachableYet, ASynchronousMessageIsMatchedWhenItCanBeAnswered) {
  Request& request = ireceive(1, 7, target);
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10));
  for (int i = 0; i < 3; ++i) {
    engine.progress();
    EXPECT_FALSE(request.done);
  }
  device.not_yet = false;
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(request.failure, nullptr);
  EXPECT_EQ(request.status.bytes, 10U);
  EXPECT_EQ(sent(Kind::finished), 1);
  EXPECT_TRUE(engine.matching().queue(context).unexpected.empty());
  engine.release(request);
}

TEST_F(UnreachableYet, ALongMessageIsMatchedWhenItCanBeAnswered) {
  Bytes whole(large.size());
  Request& request = ireceive(1, 7, whole);
  offer(1, 7, large, 9);
  for (int i = 0; i < 3; ++i) engine.progress();
  EXPECT_FALSE(request.done);
  device.not_yet = false;
  engine.wait(request);
  EXPECT_EQ(whole, large);
  EXPECT_EQ(sent(Kind::finished), 1);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
