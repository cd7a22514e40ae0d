// SPDX-License-Identifier: BSD-3-Clause
// Messages from a process that this one cannot make an endpoint to (for want of memory, say): none is lost, none comes
// twice, and what had to be answered is answered once the process can be reached.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "recording.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

struct SmallBudget {
  test::Setting setting{"unexpected_budget", "65536"};
};

class Unreachable : private SmallBudget, public ProtocolTest {
 protected:
  Unreachable() { device.unreachable = true; }

  std::ptrdiff_t sent(Kind kind) const {
    return std::ranges::count_if(device.sent, [=](const Message& message) { return message.kind() == kind; });
  }
};

TEST_F(Unreachable, ASynchronousMessageIsMatchedWhenItCanBeAnswered) {
  Bytes data(10);
  Request& request = ireceive(1, 7, data);
  device.deliver(1, Kind::eager_synchronous, SendId{55}, header(1, 7), pattern(10));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(engine.progress(), Error);
    EXPECT_FALSE(request.done);
  }
  device.unreachable = false;
  engine.progress();
  EXPECT_TRUE(request.done);
  EXPECT_EQ(data, pattern(10));
  EXPECT_EQ(sent(Kind::finished), 1);
  EXPECT_TRUE(engine.queue(context).unexpected.empty());
  engine.release(request);
}

TEST_F(Unreachable, AFloodArrivesOnceAndTheSenderIsRestrainedLater) {
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) device.deliver(1, header(1, i), pattern(500));
  EXPECT_NO_THROW(engine.progress());
  device.unreachable = false;
  device.deliver(1, header(1, count), pattern(500));
  engine.progress();
  EXPECT_EQ(sent(Kind::announce_all), 1);
  Bytes data(500);
  for (int i = 0; i <= count; ++i) EXPECT_EQ(engine.receive({context, 1, any_tag}, buffer(data)).tag, i);
  EXPECT_TRUE(engine.queue(context).unexpected.empty());
}

TEST_F(Unreachable, ACancelledMessageIsForgottenWhenThatCanBeSaid) {
  const Bytes memory = pattern(50'000);
  offer(1, 7, memory, 9);
  engine.progress();
  device.deliver(1, Kind::cancel, SendId{9}, header(1, 7));
  EXPECT_THROW(engine.progress(), Error);
  EXPECT_FALSE(engine.queue(context).unexpected.empty());
  device.unreachable = false;
  engine.progress();
  EXPECT_TRUE(engine.queue(context).unexpected.empty());
  EXPECT_EQ(sent(Kind::cancelled), 1);
}

}  // namespace
}  // namespace bowline::proto
