// SPDX-License-Identifier: BSD-3-Clause
// Good-byes by messages: who waits for a rank that has called MPI_Finalize asks it once and hears of it, after all that
// the rank has sent; what waits for it then fails, and no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "base/error.hpp"
#include "everybody.hpp"
#include "lost_peer.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

/// Processes that end before this one does.
class Leaving final : public Everybody {
 public:
  bool approachable(int rank) override { return reachable && rank != 0; }
  bool has_left(int rank) override { return seen_to_have_left.contains(rank); }
  bool has_sessions() const noexcept override { return of_session != no_context; }
  bool outlives_finalize(std::uint32_t context) override { return context == of_session; }
  static constexpr std::uint32_t no_context = ~0U;
  std::uint32_t of_session = no_context;  ///< the context of a session of this process
  bool reachable = true;
  std::set<int> seen_to_have_left;
};

class GoodBye : public LostPeer {
 protected:
  GoodBye() {
    device.refuse = nullptr;
    device.lost = false;
    engine.liveness().use(&directory);
  }
  void check_liveness(bool waits = true) {
    for (int i = 0; i < 10'000; ++i) engine.liveness().rested(false, waits);
  }
  void say(int from, Kind kind) { device.deliver(from, {.kind = static_cast<std::uint8_t>(kind)}); }
  std::size_t times_sent(Kind kind, int to) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        device.sent, [&](const Message& each) { return each.kind() == kind && each.rank == to; }));
  }
  void expect_waits(const Request& request) {
    check_liveness();
    EXPECT_FALSE(request.done);
  }
  test::Setting at_once{"watch_after", "0"};
  Leaving directory;
  Bytes target = Bytes(100);
};

TEST_F(GoodBye, IsAskedForOnceByWhoWaitsForLong) {
  Request& request = ireceive(1, 7, target);
  EXPECT_EQ(times_sent(Kind::tell_end, 1), 0U);
  expect_waits(request);
  expect_waits(request);
  EXPECT_EQ(times_sent(Kind::tell_end, 1), 1U);
  say(1, Kind::good_bye);
  engine.wait(request);
  expect_left(request);
  EXPECT_NE(std::string(request.failure->what()).find("has called MPI_Finalize"), std::string::npos);
  EXPECT_TRUE(directory.found.empty()) << "it is no loss";
  engine.release(request);
}

TEST_F(GoodBye, IsNotAskedForBeforeItIsTime) {
  const test::Setting much_later{"watch_after", "3600"};
  Request& request = ireceive(1, 7, target);
  expect_waits(request);
  EXPECT_EQ(times_sent(Kind::tell_end, 1), 0U);
  engine.cancel(request);
  engine.release(request);
}

TEST_F(GoodBye, IsAskedForAgainWhereThereWasNoRoom) {
  device.refuse = [](int) { return true; };
  Request& request = ireceive(1, 7, target);
  expect_waits(request);
  EXPECT_FALSE(engine.outbox().waits_for_room()) << "it would not sleep";
  device.refuse = nullptr;
  expect_waits(request);
  EXPECT_EQ(times_sent(Kind::tell_end, 1), 1U);
  engine.cancel(request);
  engine.release(request);
}

TEST_F(GoodBye, ComesAfterWhatWasSentBefore) {
  Request& request = ireceive(1, 7, target);
  device.deliver(1, header(1, 7), data);
  say(1, Kind::good_bye);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  EXPECT_EQ(target, data);
  engine.release(request);
}

TEST_F(GoodBye, LeavesWhatIsHereAlready) {
  device.deliver(1, header(1, 7), data);
  say(1, Kind::good_bye);
  engine.progress();
  check_liveness();
  EXPECT_EQ(engine.receive({context, any_source, 7}, buffer(target)).source, 1);
  EXPECT_THROW(engine.receive({context, 1, 7}, buffer(target)), Error);
}

// A poll reads only those rings in shared memory where messages have arrived recently.
TEST_F(GoodBye, ComesAfterWhatPollsHaveOverlooked) {
  Request& request = ireceive(1, 7, target);
  device.left.insert(1);
  device.deliver(1, header(1, 7), data);
  device.overlooked = true;
  check_liveness();
  ASSERT_TRUE(request.done);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  EXPECT_EQ(target, data);
  engine.release(request);
}

TEST_F(GoodBye, OfAllOthersEndsAReceiveFromAnybody) {
  Request& request = ireceive(any_source, any_tag, target);
  for (const int rank : {1, 2, 3}) {
    expect_waits(request);
    EXPECT_EQ(times_sent(Kind::tell_end, rank), 1U);
    say(rank, Kind::good_bye);
    engine.progress();
  }
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::proc_aborted);
  EXPECT_TRUE(directory.found.empty());
  engine.release(request);
}

TEST_F(GoodBye, OfAllOthersLeavesTheThreadsOfThisProcess) {
  lock.enable();
  const LockGuard hold(lock);
  Request& request = ireceive(any_source, any_tag, target);
  for (const int rank : {1, 2, 3}) say(rank, Kind::good_bye);
  engine.progress();
  expect_waits(request);
  device.deliver(0, header(0, 7), data);
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  engine.release(request);
}

TEST_F(GoodBye, FailsNothingThatIsOnlyLookedAt) {
  Request& request = ireceive(1, 7, target);
  say(1, Kind::good_bye);
  engine.progress();
  check_liveness(false);
  EXPECT_FALSE(request.done);
  engine.cancel(request);
  EXPECT_TRUE(request.status.cancelled);
  engine.release(request);
}

TEST_F(GoodBye, FailsASendThatWaitsForAnAnswer) {
  Request& request = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  expect_waits(request);
  EXPECT_EQ(times_sent(Kind::tell_end, 1), 1U);
  say(1, Kind::good_bye);
  engine.wait(request);
  expect_left(request);
  engine.release(request);
}

TEST_F(GoodBye, StaysOneWhenTheConnectionIsClosed) {
  say(1, Kind::good_bye);
  engine.progress();
  device.only_lost = 1;
  Request& anything = ireceive(any_source, any_tag, target);
  expect_waits(anything);
  EXPECT_TRUE(directory.found.empty());
  engine.cancel(anything);
  engine.release(anything);
}

TEST_F(GoodBye, OfARankThatWasNeverTalkedToIsSeen) {
  directory.reachable = false;
  Request& request = ireceive(1, 7, target);
  expect_waits(request);
  EXPECT_EQ(device.connections, 0);
  directory.seen_to_have_left = {1};
  device.left = {1};
  engine.wait(request);
  expect_left(request);
  EXPECT_TRUE(directory.found.empty());
  engine.release(request);
}

TEST_F(GoodBye, OfARankThatCannotBeReachedAnyMoreIsSeen) {
  directory.reachable = false;
  directory.seen_to_have_left = {1};
  device.unreachable = true;
  Request& request = ireceive(1, 7, target);
  engine.wait(request);
  expect_left(request);
  EXPECT_TRUE(directory.found.empty());
  engine.release(request);
}

// ---- sessions, which may follow

constexpr std::uint32_t of_session = make_context(5, 0, Purpose::point_to_point);

class SessionsFollow : public GoodBye {
 protected:
  SessionsFollow() { directory.of_session = of_session; }
  Request& isend_synchronous(std::uint32_t in) {
    return engine.isend(1, header(0, 7, in), buffer(data), Mode::synchronous);
  }
  void say_exit(int from) {
    const transport::Header last{.tag = static_cast<int>(Farewell::of_process)};
    device.deliver(from, control_header(last, Kind::good_bye));
  }
};

TEST_F(SessionsFollow, WhatWaitsOnACommunicatorOfTheWorldFails) {
  Request& receive = ireceive(1, 7, target);
  Request& send = isend_synchronous(context);
  say(1, Kind::good_bye);
  engine.wait(receive);
  engine.wait(send);
  expect_left(receive);
  expect_left(send);
  EXPECT_TRUE(directory.found.empty());
  engine.release(receive);
  engine.release(send);
}

TEST_F(SessionsFollow, WhatWaitsOnOneOfASessionGoesOn) {
  Request& receive = engine.ireceive({of_session, 1, 7}, buffer(target));
  Request& anything = engine.ireceive({of_session, any_source, 8}, buffer(target));
  Request& send = isend_synchronous(of_session);
  say(1, Kind::good_bye);
  for (Request* const each : {&receive, &anything, &send}) expect_waits(*each);
  device.deliver(1, header(1, 7, of_session), data);
  device.deliver(1, header(1, 8, of_session), data);
  device.deliver(1, Kind::finished, SendId{static_cast<SendRequest&>(send).id});
  for (Request* const each : {&receive, &anything, &send}) {
    engine.wait(*each);
    EXPECT_EQ(each->status.error, ErrorClass::success);
    engine.release(*each);
  }
}

TEST_F(SessionsFollow, UntilTheProcessEnds) {
  Request& receive = engine.ireceive({of_session, 1, 7}, buffer(target));
  Request& send = isend_synchronous(of_session);
  say(1, Kind::good_bye);
  expect_waits(receive);
  say_exit(1);
  engine.wait(receive);
  engine.wait(send);
  expect_left(receive);
  expect_left(send);
  EXPECT_TRUE(directory.found.empty());
  engine.release(receive);
  engine.release(send);
}

TEST_F(SessionsFollow, WhereOnlyTheOperationKnowsTheSenderItsEndIsSeen) {
  Request& receive = engine.ireceive_from(1, {of_session, 3, 7}, buffer(target));
  expect_waits(receive);
  say_exit(1);
  engine.wait(receive);
  expect_left(receive);
  engine.release(receive);
}

TEST_F(SessionsFollow, AnAnswerToWhatHasFailedIsDropped) {
  Request& send = isend_synchronous(context);
  const std::uint64_t id = static_cast<SendRequest&>(send).id;
  say(1, Kind::good_bye);
  engine.wait(send);
  engine.release(send);
  device.deliver(1, Kind::finished, SendId{id});
  engine.progress();
  EXPECT_TRUE(directory.found.empty()) << "the connection stays";
  device.deliver(1, header(1, 7, of_session), data);
  Request& receive = engine.ireceive({of_session, 1, 7}, buffer(target));
  engine.wait(receive);
  EXPECT_EQ(receive.status.error, ErrorClass::success);
  engine.release(receive);
}

// ---- first contact with a rank that has left and cannot be reached any more

class Left : public ProtocolTest {
 protected:
  Request& isend(Bytes& data, Mode mode = Mode::standard) {
    return all_gone.isend(1, header(0, 7), buffer(data), mode);
  }
  void expect_unheard(Request& request) {
    all_gone.wait(request);
    EXPECT_EQ(request.status.error, ErrorClass::proc_aborted);
    ASSERT_NE(request.failure, nullptr);
    EXPECT_STREQ(request.failure->what(), "rank 1 has ended, and messages to it are not received any more");
    all_gone.release(request);
  }
  void expect_cancelled(Request& request) {
    all_gone.cancel(request);
    all_gone.wait(request);
    EXPECT_TRUE(request.status.cancelled);
    all_gone.release(request);
  }
  Engine all_gone{4, [](int) { return nullptr; }, WaitPolicy{}, lock};
  Bytes little = pattern(100), much = pattern(100'000);
};

TEST_F(Left, AMessageThatNeedsNoAnswerIsSent) {
  all_gone.send(1, header(0, 7), buffer(little));
  EXPECT_TRUE(isend(little).done);
  EXPECT_TRUE(all_gone.loop().flushed());
}

TEST_F(Left, AMessageThatNeedsAnAnswerFails) {
  expect_unheard(isend(little, Mode::synchronous));
  expect_unheard(isend(much));
  EXPECT_THROW(all_gone.send(1, header(0, 7), buffer(much)), Error);
}

TEST_F(Left, OrIsCancelled) {
  expect_cancelled(isend(little, Mode::synchronous));
  expect_cancelled(isend(much));
  all_gone.progress();
  EXPECT_TRUE(all_gone.loop().flushed());
}

// ---- this process says it

TEST_F(GoodBye, IsSaidOnceMoreWhenTheProcessEnds) {
  say(2, Kind::tell_end);
  engine.progress();
  engine.farewells().say_good_bye(Farewell::of_program, false);
  say(3, Kind::tell_end);
  engine.progress();
  engine.farewells().say_good_bye(Farewell::of_process, false);
  engine.farewells().say_good_bye(Farewell::of_process, false);
  for (const int rank : {2, 3}) {
    EXPECT_EQ(times_sent(Kind::good_bye, rank), 2U);
    const auto last = std::ranges::find_if(device.sent, [&](const Message& each) {
      return each.rank == rank && each.kind() == Kind::good_bye &&
             each.header.tag == static_cast<int>(Farewell::of_process);
    });
    EXPECT_NE(last, device.sent.end());
  }
}

TEST_F(GoodBye, IsSaidToWhoHasAskedOnceThisProcessIsSilent) {
  say(2, Kind::tell_end);
  engine.progress();
  EXPECT_EQ(times_sent(Kind::good_bye, 2), 0U);
  engine.farewells().say_good_bye(Farewell::of_program, false);
  engine.farewells().say_good_bye(Farewell::of_program, false);
  EXPECT_EQ(times_sent(Kind::good_bye, 2), 1U);
  say(3, Kind::tell_end);
  engine.progress();
  EXPECT_EQ(times_sent(Kind::good_bye, 3), 1U);
  EXPECT_EQ(device.sent.size(), 2U);
}

TEST_F(GoodBye, IsSaidToAllInContactOnce) {
  engine.send(1, header(0, 7), buffer(data));
  engine.farewells().say_good_bye(Farewell::of_program, false);
  EXPECT_EQ(times_sent(Kind::good_bye, 1), 0U);
  engine.farewells().say_good_bye(Farewell::of_program, true);
  engine.farewells().say_good_bye(Farewell::of_program, true);
  say(1, Kind::tell_end);
  engine.progress();
  EXPECT_EQ(times_sent(Kind::good_bye, 1), 1U);
  EXPECT_EQ(device.sent.size(), 2U);
}

TEST_F(GoodBye, IsSaidLaterWhereContactFailsForNow) {
  say(2, Kind::tell_end);
  engine.progress();
  device.not_yet = true;
  engine.farewells().say_good_bye(Farewell::of_program, false);
  device.not_yet = false;
  engine.farewells().say_good_bye(Farewell::of_program, false);
  EXPECT_EQ(times_sent(Kind::good_bye, 2), 1U);
}

}  // namespace
}  // namespace bowline::proto
