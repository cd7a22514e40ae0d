// SPDX-License-Identifier: BSD-3-Clause
// A peer that has ended without a word: receives and probes that wait for it fail, at the first contact if need be, and
// only those.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lost_peer.hpp"
#include "proto/liveness/process_directory.hpp"
#include "proto/services/address_search.hpp"
#include "proto/services/partitioned.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

/// Rank in the communicator and world rank are the same; there is another communicator, in which ranks 2 and 3 send,
/// and this process does not: as on an intercommunicator.
class Neighbours final : public ProcessDirectory, public AddressBook {
 public:
  static constexpr std::uint32_t without = make_context(2, 0, Purpose::point_to_point);
  int process(std::uint32_t context, int source) override { return context == without ? source + 2 : source; }
  int source(std::uint32_t context, int rank) override { return context == without ? rank - 2 : rank; }
  bool sends_here(std::uint32_t context) override { return context != without; }
  std::string communicator(std::uint32_t) override { return "a communicator"; }
  int senders(std::uint32_t context) override { return context == without ? 2 : 4; }
  void seek(int rank) override { search->seek(rank); }
  int informant(int rank) override { return sought.insert(rank), launcher_is_silent ? 2 : -1; }
  bool approachable(int rank) override {
    return rank != 0 && (found_before || told.contains(rank) || (!launcher_is_silent && sought.contains(rank)));
  }
  bool has_left(int rank) override { return seen_to_have_left.contains(rank); }
  void lost(int rank, const Error& why) noexcept override {
    found.push_back(rank);
    reason = why.what();
  }
  Bytes address(int rank) override { return rank == 1 || told.contains(rank) ? whereabouts : Bytes(); }
  void learned(int rank, std::span<const std::byte> address) override {
    EXPECT_TRUE(std::ranges::equal(address, whereabouts));
    told.insert(rank);
  }
  AddressSearch* search = nullptr;
  int unacknowledged(std::uint32_t) override { return acknowledged < found.size() ? found[acknowledged] : -1; }
  std::size_t acknowledged = 0;
  std::vector<int> found;
  std::set<int> sought, told, seen_to_have_left;
  bool found_before = false;
  bool launcher_is_silent = false;
  Bytes whereabouts = pattern(200);
  std::string reason;
};

class SilentPeer : public LostPeer {
 protected:
  SilentPeer() {
    device.refuse = nullptr;
    device.lost = false;
    device.only_lost = 1;
    engine.liveness().use(&directory);
    auto search = std::make_unique<AddressSearch>(engine, directory);
    directory.search = search.get();
    engine.services().add(std::move(search));
  }
  void check_liveness() {
    for (int i = 0; i < 10'000; ++i) engine.liveness().rested(false);
  }
  /// Waits for a message that comes nevertheless.
  void expect_received(Request& request) {
    engine.wait(request);
    EXPECT_EQ(request.status.error, ErrorClass::success);
    engine.release(request);
  }
  /// A request that nobody's end concerns.
  void expect_undisturbed(const Request& request) {
    check_liveness();
    EXPECT_FALSE(request.done);
  }
  Request& ireceive_anything() { return ireceive(any_source, any_tag, target); }
  test::Setting at_once{"watch_after", "0"};
  Neighbours directory;
  Bytes target = Bytes(100);
};

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

TEST_F(SilentPeer, AReceiveFromAnybodyPendsUntilTheLossIsAcknowledged) {
  Request& request = ireceive_anything();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(engine.wait_unless_pending(request));
    EXPECT_FALSE(request.done);
    EXPECT_TRUE(engine.liveness().pends(request));
  }
  EXPECT_EQ(directory.found, std::vector{1});
  directory.acknowledged = 1;
  EXPECT_FALSE(engine.liveness().pends(request));
  expect_undisturbed(request);
  device.deliver(3, header(3, 7), data);
  expect_received(request);
}

TEST_F(SilentPeer, ABlockingReceiveFromAnybodyFailsUntilTheLossIsAcknowledged) {
  const auto receive = [&] { return engine.receive({context, any_source, 7}, buffer(target)); };
  for (int i = 0; i < 2; ++i) {
    try {
      receive();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::proc_failed);
      EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
    }
  }
  directory.acknowledged = 1;
  device.deliver(3, header(3, 7), data);
  EXPECT_EQ(receive().source, 3);
}

TEST_F(SilentPeer, AReceiveFromAnybodyFailsWhenNobodyIsLeft) {
  device.lost = true;  // all
  Request& request = ireceive_anything();
  EXPECT_FALSE(engine.wait_unless_pending(request));
  directory.acknowledged = 3;
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  engine.release(request);
}

TEST_F(SilentPeer, AReceiveFromAnybodyWaitsForTheOthersOfOneThatHasSaidGoodBye) {
  device.left = {1};
  engine.send(1, header(0, 7), buffer(data));
  Request& request = ireceive_anything();
  expect_undisturbed(request);
  EXPECT_TRUE(directory.found.empty());
  device.deliver(3, header(3, 7), data);
  expect_received(request);
}

TEST_F(SilentPeer, AReceiveFromAnybodyFailsWhenAllOthersHaveSaidGoodBye) {
  device.lost = true;
  device.left = {1, 2, 3};
  for (const int peer : device.left) engine.send(peer, header(0, 7), buffer(data));
  Request& request = ireceive_anything();
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::proc_aborted);
  EXPECT_TRUE(directory.found.empty());
  engine.release(request);
}

TEST_F(SilentPeer, CommunicatorsWithoutItGoOn) {
  Request& request = engine.ireceive({Neighbours::without, any_source, 7}, buffer(target));
  EXPECT_THROW(engine.receive({context, 1, 7}, buffer(target)), Error);
  expect_undisturbed(request);
  device.deliver(2, header(0, 7, Neighbours::without), data);
  expect_received(request);
}

TEST_F(SilentPeer, AReceiveFromAnySourceWaitsWhileOneOfTheOtherGroupIsLeft) {
  device.only_lost = 2;
  EXPECT_THROW(engine.receive({Neighbours::without, 0, 7}, buffer(target)), Error);
  EXPECT_EQ(directory.found, std::vector{2});
  Request& request = engine.ireceive({Neighbours::without, any_source, 7}, buffer(target));
  expect_undisturbed(request);
  device.deliver(3, header(1, 7, Neighbours::without), data);
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

// ---- one that has left as it should

class PeerThatLeft : public SilentPeer {
 protected:
  PeerThatLeft() {
    device.left = {1};
    engine.send(1, header(0, 7), buffer(data));
  }
};

TEST_F(PeerThatLeft, FailsWhatWaitsForItAndIsNoLoss) {
  Bytes other(100);
  Request& anything = ireceive_anything();
  Request& doomed = ireceive(1, 7, other);
  engine.wait(doomed);
  expect_left(doomed);
  expect_undisturbed(anything);
  EXPECT_TRUE(directory.found.empty());
  device.deliver(3, header(3, 7), data);
  expect_received(anything);
  engine.release(doomed);
}

TEST_F(PeerThatLeft, NeedNotHaveEndedYet) {
  device.only_lost = -1;
  Request& doomed = ireceive(1, 7, target);
  engine.wait(doomed);
  expect_left(doomed);
  engine.release(doomed);
}

TEST_F(PeerThatLeft, LetsAReceiveBeCancelledThatWaitedForIt) {
  Request& request = ireceive(1, 7, target);
  engine.wait(request);
  engine.cancel(request);
  EXPECT_TRUE(request.status.cancelled);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  EXPECT_EQ(request.failure, nullptr);
  engine.release(request);
}

TEST_F(PeerThatLeft, HasNotMatchedASendThatWasCancelledMeanwhile) {
  Request& request = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  engine.cancel(request);
  engine.wait(request);
  EXPECT_TRUE(request.status.cancelled);
  EXPECT_EQ(request.failure, nullptr);
  engine.release(request);
}

TEST_F(PeerThatLeft, ASendThatNoCallWaitsForIsTold) {
  Request& known = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  engine.wait(known);
  expect_left(known);
  engine.release(known);
  EXPECT_TRUE(directory.found.empty());
  engine.release(engine.isend(1, header(0, 7), buffer(data), Mode::synchronous));
  engine.drain();
  EXPECT_EQ(directory.found, std::vector{1});
  EXPECT_NE(directory.reason.find("not received"), std::string::npos) << directory.reason;
}

TEST_F(PeerThatLeft, ASendThatEndsWithTheProgramIsTold) {
  Request& request = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  engine.drain({}, true);
  EXPECT_EQ(directory.found, std::vector{1});
  engine.release(request);
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
