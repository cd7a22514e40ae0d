// SPDX-License-Identifier: BSD-3-Clause
// Flow control, the sender's side: what a sender does that was told to announce everything, or to pause a context.
#include "throttled.hpp"

#include <gtest/gtest.h>

namespace bowline::proto {
namespace {

TEST_F(Throttled, EverythingIsAnnouncedUntilThatIsTakenBack) {
  order(Kind::announce_all);
  Request& request = isend(1, 7, data);
  EXPECT_FALSE(request.done);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  EXPECT_EQ(offer.bytes, 100U);
  isend(2, 7, data);
  latest(Kind::eager);
  order(Kind::announce_long);
  isend(1, 7, data);
  latest(Kind::eager);
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = 100});
  engine.wait(request);
  EXPECT_EQ(latest(Kind::data).body, data);
  engine.release(request);
}

TEST_F(Throttled, AnEmptyMessageIsAnnouncedAndReceivedAsEver) {
  order(Kind::announce_all);
  Request& send = engine.isend(1, header(0, 7), {nullptr, 0, &dtype::byte_type()});
  EXPECT_EQ(latest(Kind::ready_to_send).read<ReadyToSend>().bytes, 0U);
  finish(device.sent.back());
  engine.wait(send);
  engine.release(send);
  offer(1, 8, {}, 5);
  Bytes target(10);
  EXPECT_EQ(engine.receive({context, 1, 8}, buffer(target)).bytes, 0U);
  EXPECT_EQ(latest(Kind::finished).read<SendId>().send_id, 5U);
}

TEST_F(Throttled, APausedContextIsSilentAndTheOthersAreNot) {
  order(Kind::announce_all);
  order(Kind::pause);
  engine.release(isend(1, 1, data));
  engine.release(isend(1, 2, data));
  for (int i = 0; i < 3; ++i) engine.progress();
  EXPECT_TRUE(device.sent.empty());
  EXPECT_FALSE(engine.outbox().waits_for_room()) << "nothing is worth trying again";
  engine.release(engine.isend(1, header(0, 3, other), buffer(data)));
  isend(2, 4, data);
  EXPECT_EQ(tags(), (std::vector{3, 4}));
  order(Kind::resume);
  EXPECT_EQ(tags(), (std::vector{3, 4, 1, 2}));
  finish_all();
}

TEST_F(Throttled, TheOrderIsKeptThroughPausingAndResuming) {
  order(Kind::announce_all);
  device.refuse = [](int) { return true; };
  engine.release(isend(1, 1, data));
  engine.release(isend(1, 2, data));
  order(Kind::pause);
  engine.release(isend(1, 3, data));
  device.refuse = nullptr;
  engine.progress();
  engine.release(isend(1, 4, data));
  EXPECT_TRUE(device.sent.empty());
  device.refuse = [](int) { return true; };
  order(Kind::resume);
  engine.release(isend(1, 5, data));
  order(Kind::announce_long);
  engine.release(isend(1, 6, data));
  device.refuse = nullptr;
  engine.progress();
  isend(1, 7, data);
  EXPECT_EQ(tags(), (std::vector{1, 2, 3, 4, 5, 6, 7}));
  finish_all();
}

TEST_F(Throttled, ResumedSendsGoBeforeYoungerOnesThatFoundNoRoom) {
  order(Kind::announce_all);
  order(Kind::pause);
  engine.release(isend(1, 1, data));
  device.refuse = [](int) { return true; };
  engine.release(engine.isend(1, header(0, 2, other), buffer(data)));  // what comes after it waits behind it
  engine.release(isend(1, 3, data));
  order(Kind::resume);
  device.refuse = nullptr;
  engine.progress();
  const std::vector<int> sent = tags();
  EXPECT_LT(std::ranges::find(sent, 1), std::ranges::find(sent, 3));
  EXPECT_EQ(sent.size(), 3U);
  finish_all();
}

TEST_F(Throttled, PausedAgainItWaitsAgain) {
  order(Kind::announce_all);
  for (int round = 0; round < 3; ++round) {
    order(Kind::pause);
    order(Kind::pause);  // said twice is said once
    engine.release(isend(1, 2 * round, data));
    engine.release(isend(1, 2 * round + 1, data));
    EXPECT_EQ(device.sent.size(), static_cast<std::size_t>(2 * round));
    order(Kind::resume);
    EXPECT_EQ(device.sent.size(), static_cast<std::size_t>(2 * round + 2));
  }
  order(Kind::resume);  // of what is not paused
  EXPECT_EQ(tags(), (std::vector{0, 1, 2, 3, 4, 5}));
  finish_all();
}

TEST_F(Throttled, AGrantLetsThatManyGoAndNoMore) {
  order(Kind::announce_all);
  order(Kind::pause);
  for (int tag = 1; tag <= 3; ++tag) engine.release(isend(1, tag, data));
  const auto grant = [&](std::uint64_t messages) {
    device.deliver(1, Kind::resume, Resume{messages}, {.context = context});
    engine.progress();
  };
  grant(2);
  EXPECT_EQ(tags(), (std::vector{1, 2}));
  engine.release(isend(1, 4, data));
  EXPECT_EQ(tags(), (std::vector{1, 2})) << "the grant is used up, and 3 is older";
  grant(5);
  EXPECT_EQ(tags(), (std::vector{1, 2, 3, 4}));
  for (int tag = 5; tag <= 8; ++tag) engine.release(isend(1, tag, data));
  EXPECT_EQ(tags(), (std::vector{1, 2, 3, 4, 5, 6, 7})) << "three were left of the grant";
  order(Kind::resume);
  EXPECT_EQ(tags(), (std::vector{1, 2, 3, 4, 5, 6, 7, 8}));
  finish_all();
}

TEST_F(Throttled, APausedSendCanBeCancelled) {
  order(Kind::announce_all);
  order(Kind::pause);
  Request& cancelled = isend(1, 1, data);
  engine.release(isend(1, 2, data));
  engine.cancel(cancelled);
  EXPECT_TRUE(cancelled.status.cancelled);
  engine.release(cancelled);
  order(Kind::resume);
  EXPECT_EQ(tags(), std::vector{2});
  finish_all();
}

TEST_F(Throttled, WhatWasAskedForIsNotPaused) {
  Bytes large = pattern(50'000);
  Request& request = isend(1, 1, large);
  const auto offer = latest(Kind::ready_to_send).read<ReadyToSend>();
  order(Kind::announce_all);
  order(Kind::pause);
  device.deliver(1, Kind::clear_to_send, ClearToSend{.send_id = offer.send_id, .receive_id = 1, .bytes = 50'000});
  engine.wait(request);
  latest(Kind::data);
  engine.release(request);
}

TEST_F(Throttled, DrainWaitsForWhatIsPaused) {
  order(Kind::announce_all);
  order(Kind::pause);
  engine.release(isend(1, 1, data));
  bool resumed = false;
  device.script.push_back([&] {
    resumed = true;
    device.deliver(1, Kind::resume, Resume{all_messages}, {.context = context});
  });
  device.script.push_back([&] { finish(device.sent.at(0)); });
  engine.drain();
  EXPECT_TRUE(resumed);
}

}  // namespace
}  // namespace bowline::proto
