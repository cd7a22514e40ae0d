// SPDX-License-Identifier: BSD-3-Clause
// Processes of jobs that part and may meet again: whose end is a loss, what still reaches a process that has parted,
// and over which connection those that meet again talk.
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "everybody.hpp"
#include "lost_peer.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

/// This process and rank 1 belong to jobs that are connected.
class Parting : public LostPeer {
 protected:
  Parting() {
    device.refuse = nullptr;
    device.lost = false;
    engine.liveness().use(&directory);
  }
  void check_liveness() {
    for (int i = 0; i < 10'000; ++i) engine.liveness().rested(false);
  }
  void say(Kind kind) { device.deliver(1, {.kind = static_cast<std::uint8_t>(kind)}); }
  std::size_t good_byes() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(device.sent, [](const Message& each) { return each.kind() == Kind::good_bye; }));
  }
  void talk() { engine.send(1, header(0, 7), buffer(data)); }
  /// Sends a message, and receives one.
  void expect_talk() {
    const std::size_t before = device.sent.size();
    talk();
    ASSERT_EQ(device.sent.size(), before + 1);
    EXPECT_EQ(latest(Kind::eager).rank, 1);
    device.deliver(1, header(1, 8), data);
    Request& heard = ireceive(1, 8, target);
    engine.wait(heard);
    EXPECT_EQ(heard.status.error, ErrorClass::success);
    engine.release(heard);
  }
  void expect_fails(Request& request, ErrorClass error_class = ErrorClass::proc_failed) {
    engine.wait(request);
    expect_failed(request, error_class);
    engine.release(request);
  }
  test::Setting at_once{"watch_after", "0"};
  Everybody directory;
  Bytes target = Bytes(100);
  Bytes much = pattern(long_bytes);
};

// ---- the end of a process

TEST_F(Parting, AProcessThatEndsWhileItIsConnectedIsLost) {
  talk();
  device.only_lost = 1;
  Request& receive = ireceive(1, 7, target);
  check_liveness();
  EXPECT_EQ(directory.found, std::vector<int>{1});
  expect_fails(receive);
}

TEST_F(Parting, AProcessThatBeginsToPartMayEnd) {
  talk();
  engine.farewells().begins_to_part_from(1);
  device.only_lost = 1;
  Request& receive = ireceive(1, 7, target);
  check_liveness();
  expect_fails(receive);
  EXPECT_TRUE(directory.found.empty());
}

TEST_F(Parting, OtherProcessesAreLostMeanwhile) {
  engine.send(2, header(0, 7), buffer(data));
  engine.farewells().begins_to_part_from(1);
  device.only_lost = 2;
  Request& receive = ireceive(2, 7, target);
  check_liveness();
  EXPECT_EQ(directory.found, std::vector<int>{2});
  engine.wait(receive);
  engine.release(receive);
}

TEST_F(Parting, AProcessThatHasPartedMayEnd) {
  talk();
  engine.farewells().begins_to_part_from(1);
  engine.farewells().parts_from(1);
  EXPECT_FALSE(engine.farewells().is_parting_from(1));
  device.only_lost = 1;
  Request& receive = ireceive(1, 7, target);
  check_liveness();
  expect_fails(receive, ErrorClass::proc_aborted);
  EXPECT_TRUE(directory.found.empty());
}

TEST_F(Parting, OneThatWasNeverInContactIsNotSought) {
  engine.farewells().parts_from(1);
  Request& send = isend(1, 7, much);
  check_liveness();
  expect_fails(send, ErrorClass::proc_aborted);
  EXPECT_EQ(device.connections, 0);
  EXPECT_TRUE(directory.found.empty());
}

// ---- those that meet again

TEST_F(Parting, WhoMeetsAgainTalksOverTheSameConnection) {
  talk();
  engine.farewells().parts_from(1);
  Request& receive = ireceive(1, 7, target);
  check_liveness();
  expect_fails(receive, ErrorClass::proc_aborted);
  engine.farewells().meets(1);
  expect_talk();
  EXPECT_EQ(device.connections, 1);
}

TEST_F(Parting, WhoMeetsAgainIsLostWhenItEnds) {
  talk();
  engine.farewells().parts_from(1);
  check_liveness();
  engine.farewells().meets(1);
  device.only_lost = 1;
  Request& receive = ireceive(1, 7, target);
  check_liveness();
  EXPECT_EQ(directory.found, std::vector<int>{1});
  expect_fails(receive);
}

TEST_F(Parting, WhoMeetsAgainHearsAndAsksForTheEndAgain) {
  say(Kind::tell_end);
  engine.progress();
  engine.farewells().say_good_bye(Farewell::of_program, false);
  EXPECT_EQ(good_byes(), 1U);
  engine.farewells().parts_from(1);
  engine.farewells().meets(1);
  say(Kind::tell_end);
  engine.progress();
  EXPECT_EQ(good_byes(), 2U);
}

TEST_F(Parting, WhoWasNeverInContactIsConnectedAtTheFirstMessage) {
  engine.farewells().meets(1);
  EXPECT_EQ(device.connections, 0);
  expect_talk();
  EXPECT_EQ(device.connections, 1);
}

TEST_F(Parting, WhoCannotBeReachedAnyMoreIsConnectedAnew) {
  talk();
  engine.farewells().parts_from(1);
  device.only_lost = 1;
  engine.farewells().meets(1);
  device.only_lost = -1;
  expect_talk();
  EXPECT_EQ(device.connections, 2);
}

// ---- closed connections

TEST_F(Parting, AClosedConnectionIsMadeAgain) {
  talk();
  engine.disconnect(1);
  expect_talk();
  EXPECT_EQ(device.connections, 2);
}

TEST_F(Parting, WhatWaitsForRoomInAClosedConnectionIsDropped) {
  offer(1, 7, much, their_id);
  engine.progress();
  device.refuse = [](int rank) { return rank == 1; };
  Request& receive = ireceive(1, 7, much);  // its answer finds no room
  engine.wait(receive);
  engine.release(receive);
  EXPECT_TRUE(engine.outbox().waits_for_room());
  engine.disconnect(1);
  EXPECT_FALSE(engine.outbox().waits_for_room());
  device.refuse = nullptr;
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
}

// As Jobs does with processes that have shared memory with this one.
TEST_F(Parting, WhoSharedMemoryIsConnectedAnew) {
  talk();
  engine.disconnect(1);
  engine.farewells().parts_from(1);
  EXPECT_TRUE(engine.peers().known(1)->has_left());
  engine.farewells().meets(1);
  expect_talk();
  EXPECT_EQ(device.connections, 2);
}

}  // namespace
}  // namespace bowline::proto
