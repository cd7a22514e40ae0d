// SPDX-License-Identifier: BSD-3-Clause
// Flow control, the receiver's side: when senders are told to announce, to pause, and to resume.
#include <gtest/gtest.h>

#include "recording.hpp"
#include "small_budget.hpp"

namespace bowline::proto {
namespace {

class Flow : private SmallBudget, public ProtocolTest {
 protected:
  // An eighth of the budget is for overhead.
  static constexpr std::size_t budget = 65536 / 8 * 7;
  static constexpr std::size_t body = 1000;
  static constexpr std::size_t cost = body + sizeof(Unexpected);
  static constexpr std::size_t to_announce = budget / 2 / cost + 1;  ///< messages until the first order
  static constexpr std::size_t to_pause = budget / 4 * 3 / cost + 1;
  static constexpr std::size_t relaxed = budget / 4 / cost;  ///< messages left when everything is taken back
  static constexpr std::uint32_t collective = with_purpose(context, Purpose::collective);

  void flood(int from, std::size_t count, std::uint32_t in = context) {
    for (std::size_t i = 0; i < count; ++i) device.deliver(from, header(from, 7, in), pattern(body));
    engine.progress();
  }
  void take(std::size_t count) {
    Bytes data(body);
    for (std::size_t i = 0; i < count; ++i) engine.receive({context, any_source, 7}, buffer(data));
  }
  std::vector<Kind> kinds() const {
    std::vector<Kind> list;
    for (const Message& message : device.sent) list.push_back(message.kind());
    return list;
  }
  using Kinds = std::vector<Kind>;
};

TEST_F(Flow, BelowHalfTheBudgetNothingIsSaid) {
  flood(1, to_announce - 1);
  EXPECT_TRUE(device.sent.empty());
}

TEST_F(Flow, PastHalfOfItEachSenderIsToldOnceToAnnounce) {
  flood(1, to_announce);
  EXPECT_EQ(kinds(), Kinds{Kind::announce_all});
  EXPECT_EQ(device.sent[0].rank, 1);
  flood(1, 2);
  EXPECT_EQ(device.sent.size(), 1U);
  flood(2, 2);
  EXPECT_EQ(kinds(), (Kinds{Kind::announce_all, Kind::announce_all}));
  EXPECT_EQ(device.sent[1].rank, 2);
}

TEST_F(Flow, PastThreeQuartersOfItASenderPausesThatContext) {
  flood(1, to_pause - 1);
  EXPECT_EQ(device.sent.size(), 1U);
  flood(1, 5);
  EXPECT_EQ(kinds(), (Kinds{Kind::announce_all, Kind::pause}));
  EXPECT_EQ(device.sent[1].rank, 1);
  EXPECT_EQ(device.sent[1].header.context, context);
  flood(1, 1, make_context(2, 0, Purpose::point_to_point));
  EXPECT_EQ(latest(Kind::pause).header.context, make_context(2, 0, Purpose::point_to_point));
  EXPECT_EQ(device.sent.size(), 3U);
}

TEST_F(Flow, AnnouncementsAreChargedToo) {
  const Bytes theirs = pattern(10'000);
  const std::size_t count = budget / 2 / sizeof(Unexpected) + 1;
  for (std::size_t i = 1; i < count; ++i) offer(1, 7, theirs, i);
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  offer(1, 7, theirs, count);
  engine.progress();
  EXPECT_EQ(kinds(), Kinds{Kind::announce_all});
}

TEST_F(Flow, ExpectedMessagesCostNothing) {
  Bytes data(body);
  for (std::size_t i = 0; i < 3 * to_pause; ++i) {
    Request& request = ireceive(1, 7, data);
    flood(1, 1);
    EXPECT_TRUE(request.done);
    engine.release(request);
  }
  EXPECT_TRUE(device.sent.empty());
}

TEST_F(Flow, CollectiveMessagesAreNeverPaused) {
  flood(1, to_pause + 5, collective);
  EXPECT_EQ(kinds(), Kinds{Kind::announce_all});
  engine.forget(collective);
}

TEST_F(Flow, BelowAQuarterBothAreTakenBackPausesFirst) {
  flood(1, to_pause);
  device.sent.clear();
  take(to_pause - relaxed - 1);
  EXPECT_TRUE(device.sent.empty());
  take(1);
  EXPECT_EQ(kinds(), (Kinds{Kind::resume, Kind::announce_long}));
  EXPECT_EQ(device.sent[0].header.context, context);
  take(relaxed);
  engine.progress();
  EXPECT_EQ(device.sent.size(), 2U);
  device.sent.clear();
  flood(1, to_pause);  // and all over again
  EXPECT_EQ(kinds(), (Kinds{Kind::announce_all, Kind::pause}));
}

TEST_F(Flow, AContextThatIsForgottenIsRefunded) {
  flood(1, to_pause);
  device.sent.clear();
  engine.forget(context);
  EXPECT_EQ(kinds(), (Kinds{Kind::resume, Kind::announce_long}));
}

TEST_F(Flow, ACancelledMessageIsRefunded) {
  flood(1, relaxed);
  const Bytes theirs = pattern(10'000);
  const std::size_t count = (budget / 2 - relaxed * cost) / sizeof(Unexpected) + 1;
  for (std::size_t i = 1; i <= count; ++i) offer(1, 8, theirs, i);
  engine.progress();
  EXPECT_EQ(kinds(), Kinds{Kind::announce_all});
  for (std::size_t i = 1; i <= count; ++i) device.deliver(1, Kind::cancel, SendId{i}, header(1, 8));
  engine.progress();
  EXPECT_EQ(std::ranges::count(kinds(), Kind::announce_long), 1);
}

// ---- what a receive or probe needs

TEST_F(Flow, AReceiveThatAWaitingMessageMightMatchResumesItsSender) {
  flood(1, to_pause);
  device.sent.clear();
  Bytes data(body);
  Request& request = ireceive(1, 99, data);
  engine.progress();
  engine.progress();
  EXPECT_EQ(kinds(), Kinds{Kind::resume});
  flood(1, 10);
  EXPECT_EQ(device.sent.size(), 1U) << "it is not paused again before the budget has relaxed";
  device.deliver(1, header(1, 99), pattern(body, 1));
  engine.wait(request);
  EXPECT_EQ(data, pattern(body, 1));
  engine.release(request);
  take(to_pause + 10 - relaxed);
  EXPECT_EQ(kinds(), (Kinds{Kind::resume, Kind::resume, Kind::announce_long}));
  EXPECT_EQ(device.sent[0].read<Resume>().grant, FlowControl::grant);
  EXPECT_EQ(device.sent[1].read<Resume>().grant, all_messages);
  device.sent.clear();
  flood(1, to_pause - relaxed);
  EXPECT_EQ(kinds(), (Kinds{Kind::announce_all, Kind::pause}));
}

TEST_F(Flow, AGrantIsRenewedWhenItsMessagesHaveComeAndWereNotEnough) {
  flood(1, to_pause);
  device.sent.clear();
  Bytes data(body);
  Request& request = ireceive(1, 99, data);
  engine.progress();
  for (std::uint64_t i = 1; i < FlowControl::grant; ++i) offer(1, 8, data, i);
  engine.progress();
  EXPECT_EQ(kinds(), Kinds{Kind::resume}) << "one is still to come";
  offer(1, 8, data, FlowControl::grant);
  engine.progress();
  EXPECT_EQ(kinds(), (Kinds{Kind::resume, Kind::resume}));
  engine.cancel(request);
  engine.release(request);
}

TEST_F(Flow, AReceiveFromAnySourceResumesAllSendersOfItsContext) {
  flood(1, to_pause);
  flood(2, 1);
  device.sent.clear();
  Bytes data(body);
  Request& request = ireceive(any_source, 99, data);
  engine.progress();
  ASSERT_EQ(kinds(), (Kinds{Kind::resume, Kind::resume}));
  EXPECT_NE(device.sent[0].rank, device.sent[1].rank);
  engine.cancel(request);
  engine.release(request);
}

TEST_F(Flow, AReceiveThatNoHeldMessageMatchesLiftsNothing) {
  flood(1, to_pause);
  device.sent.clear();
  Bytes data(body);
  Request& other_source = ireceive(2, 99, data);
  Request& other_context = engine.ireceive({collective, 1, 99}, buffer(data));
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  for (Request* request : {&other_source, &other_context}) {
    engine.cancel(*request);
    engine.release(*request);
  }
}

TEST_F(Flow, AProbeLiftsHoldsToo) {
  flood(1, to_pause);
  device.sent.clear();
  Status status;
  EXPECT_FALSE(engine.iprobe({context, 2, 99}, status));
  EXPECT_TRUE(engine.iprobe({context, 1, 7}, status));
  EXPECT_TRUE(device.sent.empty());
  EXPECT_FALSE(engine.iprobe({context, 1, 99}, status));
  EXPECT_EQ(kinds(), Kinds{Kind::resume});
}

}  // namespace
}  // namespace bowline::proto
