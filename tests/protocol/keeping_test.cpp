// SPDX-License-Identifier: BSD-3-Clause
// Messages that a transport keeps because it cannot send yet: a call that has returned has sent them, because its
// program may compute from then on, for as long as it likes.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class Keeping : public ProtocolTest {
 protected:
  Keeping() {
    device.limits.keeps = true;
    device.connecting = true;
  }
  Bytes data = pattern(100, 3);
};

TEST_F(Keeping, ABlockingSendReturnsWhenTheMessageHasLeft) {
  bool left = false;
  device.script.push_back([] {});
  device.script.push_back([&] {
    left = true;
    device.end_connecting();
  });
  engine.send(1, header(0, 7), buffer(data));
  EXPECT_TRUE(left);
  EXPECT_EQ(latest(Kind::eager).body, data);
}

TEST_F(Keeping, ARequestIsDoneWhenTheMessageHasLeft) {
  Request& request = isend(1, 7, data);
  ASSERT_EQ(device.kept.size(), 1U);
  engine.progress();
  EXPECT_FALSE(request.done);
  device.end_connecting();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(latest(Kind::eager).body, data);
  engine.release(request);
}

TEST_F(Keeping, MessagesLeaveInTheOrderOfTheirSends) {
  Request& first = isend(1, 7, data);
  Request& second = isend(1, 8, data);
  device.end_connecting();
  Request& third = isend(1, 9, data);
  ASSERT_EQ(device.sent.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device.sent[static_cast<std::size_t>(i)].header.tag, 7 + i);
  for (Request* const each : {&first, &second, &third}) {
    EXPECT_TRUE(each->done);
    engine.release(*each);
  }
}

TEST_F(Keeping, OneThatIsLostFailsItsSend) {
  Request& request = isend(1, 7, data);
  const Error gone(ErrorClass::proc_failed, "rank 1 on somewhere is gone");
  device.end_connecting(&gone);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  EXPECT_STREQ(request.failure->what(), gone.what());
  engine.release(request);
}

TEST_F(Keeping, TheAnswerToASynchronousOneMayComeBeforeTheTransportTellsThatItHasLeft) {
  Request& request = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  ASSERT_EQ(device.kept.size(), 1U);
  EXPECT_EQ(device.kept.front().leaving, nullptr);
  const auto asked = device.kept.front().message.read<SendId>();
  device.deliver(1, Kind::finished, asked);
  engine.progress();
  EXPECT_TRUE(request.done);
  engine.release(request);
  device.end_connecting();
}

TEST_F(Keeping, PiecesAreAwaited) {
  device.connecting = false;
  Bytes all = pattern(long_bytes, 3);
  Request& request = isend(1, 7, all);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  device.connecting = true;
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 77, .bytes = long_bytes});
  engine.progress();
  EXPECT_GT(device.kept.size(), 1U);
  EXPECT_FALSE(request.done);
  device.end_connecting();
  EXPECT_TRUE(request.done);
  engine.release(request);
}

TEST_F(Keeping, MessagesOfTheProtocolsAreNotAwaited) {
  device.limits.single_copy_from = transport::never;
  Bytes target(long_bytes);
  Request& request = ireceive(1, 7, target);
  const Bytes all = pattern(long_bytes, 3);
  offer(1, 7, all, 99);
  engine.progress();
  ASSERT_FALSE(device.kept.empty());
  EXPECT_EQ(device.kept.back().leaving, nullptr);
  EXPECT_FALSE(engine.outbox().waits_for_room());
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
