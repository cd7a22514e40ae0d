// SPDX-License-Identifier: BSD-3-Clause
// A peer that has ended without a word: receives and probes that wait for it fail, at the first contact if need be, and
// only those.
#include "silent_peer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "proto/services/partitioned.hpp"
#include "support/event_record.hpp"

namespace bowline::proto {
namespace {

TEST_F(SilentPeer, TheEndOfAProcessFromWhichThisOnePartsIsNoLoss) {
  engine.farewells().begins_to_part_from(1);
  Request& receive = ireceive(1, 7, target);  // nothing comes, but nobody has to end for that
  engine.wait(receive);
  expect_lost(receive);
  engine.release(receive);
  EXPECT_TRUE(directory.found.empty()) << directory.reason;
  engine.farewells().parts_from(1);
  check_liveness();
  EXPECT_TRUE(directory.found.empty()) << directory.reason;
}

TEST_F(SilentPeer, ABlockingReceiveFails) {
  try {
    engine.receive({context, 1, 7}, buffer(target));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::proc_failed);
    EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(directory.found, std::vector{1});
  EXPECT_NE(directory.reason.find("rank 1"), std::string::npos);
}

TEST_F(SilentPeer, IsTalkedToForTheFirstTimeToHearOfItsEnd) {
  Request& request = ireceive(1, 7, target);
  EXPECT_EQ(device.connections, 0);
  engine.wait(request);
  EXPECT_EQ(device.connections, 1);
  expect_lost(request);
  engine.release(request);
}

TEST_F(SilentPeer, IsTalkedToSoonerIfItIsKnownWhere) {
  const test::Setting much_later{"watch_after", "3600"};
  Request& request = ireceive(1, 7, target);
  expect_undisturbed(request);
  EXPECT_TRUE(directory.sought.empty());
  EXPECT_EQ(device.connections, 0);
  directory.found_before = true;
  engine.wait(request);
  expect_lost(request);
  engine.release(request);
}

TEST_F(SilentPeer, IsAskedForWhereTheLauncherSaysNothing) {
  directory.launcher_is_silent = true;
  Request& request = ireceive(1, 7, target);
  expect_undisturbed(request);
  EXPECT_EQ(latest(address_kind::where_is).rank, 2);
  EXPECT_EQ(latest(address_kind::where_is).read<Sought>().rank, 1);
  device.deliver(2, address_kind::address, Sought{1}, {}, directory.whereabouts);
  engine.wait(request);
  expect_lost(request);
  engine.release(request);
}

TEST_F(SilentPeer, IsToldOfIfItIsKnownWhere) {
  device.deliver(3, address_kind::where_is, Sought{2});
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
  device.deliver(3, address_kind::where_is, Sought{1});
  engine.progress();
  EXPECT_EQ(latest(address_kind::address).rank, 3);
  EXPECT_EQ(latest(address_kind::address).read<Sought>().rank, 1);
  EXPECT_EQ(latest(address_kind::address).body, directory.whereabouts);
}

TEST_F(SilentPeer, IsAskedForOnBehalfOfOthers) {
  directory.launcher_is_silent = true;
  device.deliver(3, address_kind::where_is, Sought{2});
  engine.progress();
  EXPECT_EQ(latest(address_kind::where_is).rank, 2);  // who may know it, as the directory says
  device.deliver(2, address_kind::address, Sought{2}, {}, directory.whereabouts);
  engine.progress();
  EXPECT_EQ(latest(address_kind::address).rank, 3);
  EXPECT_EQ(latest(address_kind::address).read<Sought>().rank, 2);
  EXPECT_EQ(latest(address_kind::address).body, directory.whereabouts);
  const std::size_t said = device.sent.size();
  device.deliver(2, address_kind::address, Sought{2}, {}, directory.whereabouts);
  engine.progress();
  EXPECT_EQ(device.sent.size(), said);  // it was told once
}

TEST_F(SilentPeer, MayHaveAskedBeforeItsEnd) {
  device.unreachable = true;
  device.deliver(3, address_kind::where_is, Sought{1});
  engine.progress();
  EXPECT_TRUE(device.sent.empty());
}

TEST_F(SilentPeer, FailsOnlyWhatWaitsForIt) {
  Bytes other(100);
  Request& doomed = ireceive(1, 7, target);
  Request& living = ireceive(2, 7, other);
  engine.wait(doomed);
  expect_lost(doomed);
  expect_undisturbed(living);
  device.deliver(2, header(2, 7), data);
  engine.wait(living);
  EXPECT_EQ(other, data);
  engine.release(doomed);
  engine.release(living);
}

TEST_F(SilentPeer, WhatItSentBeforeItsEndIsReceived) {
  Request& request = ireceive(1, 7, target);
  device.late.push_back({1, header(1, 7), {}, data});
  expect_received(request);
  EXPECT_EQ(target, data);
}

TEST_F(SilentPeer, CommunicatorsWithoutItGoOn) {
  Request& request = engine.ireceive({Neighbours::without, any_source, 7}, buffer(target));
  EXPECT_THROW(engine.receive({context, 1, 7}, buffer(target)), Error);
  expect_undisturbed(request);
  device.deliver(2, header(0, 7, Neighbours::without), data);
  expect_received(request);
}

TEST_F(SilentPeer, AProbeFails) {
  EXPECT_THROW(engine.probe({context, 1, 7}), Error);
  EXPECT_THROW(engine.mprobe({context, 1, any_tag}), Error);
}

TEST_F(SilentPeer, ALongMessageThatBreaksOffFails) {
  device.limits.single_copy_from = transport::never;
  Bytes large(100'000);
  Request& request = ireceive(1, 7, large);
  const Bytes memory = pattern(100'000);
  offer(1, 7, memory, 99);
  engine.progress();
  const auto clear = latest(Kind::clear_to_send).read<ClearToSend>();
  const Data piece{.receive_id = clear.receive_id, .offset = 0};
  device.deliver(1, Kind::data, piece, header(1, 7), std::span(memory).first(1000));
  engine.wait(request);
  expect_lost(request);
  engine.release(request);
  device.deliver(1, Kind::data, piece, header(1, 7), std::span(memory).first(1000));
  engine.progress();  // nobody looks at it
}

TEST_F(SilentPeer, APartitionedReceiveFails) {
  const std::uint32_t parts = with_purpose(context, Purpose::partitioned);
  PartitionedReceive& receive =
      PartitionedReceive::make(engine, 1, header(1, 7, parts), {2, {target.data(), 50, &dtype::byte_type()}});
  engine.start(receive);
  engine.wait(receive);
  expect_lost(receive);
  engine.release(receive);
}

TEST_F(SilentPeer, IsWatchedWhoeverIsWaitedFor) {
  engine.liveness().keep_watch(1);
  Request& request = ireceive(2, 7, target);
  expect_undisturbed(request);
  EXPECT_EQ(directory.found, std::vector{1});
  engine.cancel(request);
  engine.release(request);
}

TEST_F(SilentPeer, IsGivenUpIfItsNodeDoesNotAnswer) {
  device.only_lost = -1;  // as a network that reports nothing
  Bytes other(100);
  Request& others = ireceive(3, 7, other);
  Request& doomed = ireceive(1, 7, target);
  engine.send(1, header(0, 7), buffer(data));
  expect_undisturbed(doomed);
  directory.cut_off = 1;
  engine.wait(doomed);
  expect_lost(doomed);
  EXPECT_EQ(device.abandoned, (std::map<int, std::string>{{1, "its node does not answer"}}));
  EXPECT_EQ(directory.found, std::vector{1});
  expect_undisturbed(others);
  engine.cancel(others);
  engine.release(others);
  engine.release(doomed);
}

TEST_F(SilentPeer, IsGivenUpIfTheLauncherKnowsThatItIsLost) {
  const test::EventRecord losses("peer_lost");
  device.only_lost = -1;  // as a network that still looks for a way
  Request& doomed = ireceive(1, 7, target);
  engine.send(1, header(0, 7), buffer(data));
  expect_undisturbed(doomed);
  directory.told_lost = 1;
  expect_undisturbed(doomed);  // what it has sent may still come
  const auto begun = std::chrono::steady_clock::now();
  while (device.abandoned.empty() && std::chrono::steady_clock::now() - begun < std::chrono::seconds(60))
    check_liveness();
  engine.wait(doomed);
  expect_lost(doomed);
  EXPECT_EQ(device.abandoned, (std::map<int, std::string>{{1, "was killed"}}));
  EXPECT_EQ(losses.all(), test::EventRecord::Occurrences{{1}});
  engine.release(doomed);
}

TEST_F(SilentPeer, ALivingPeerIsWaitedFor) {
  device.only_lost = -1;
  Request& request = ireceive(1, 7, target);
  expect_undisturbed(request);
  device.deliver(1, header(1, 7), data);
  expect_received(request);
}

}  // namespace
}  // namespace bowline::proto
