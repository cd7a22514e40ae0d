// SPDX-License-Identifier: BSD-3-Clause
// verbs: messages between two devices.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/fabric/fabric_control.hpp"
#include "support/seed.hpp"
#include "two_verbs_devices.hpp"
#include "verbs/connection/oob_connection.hpp"
#include "verbs/connection/verbs_wire.hpp"

namespace bowline::verbs {
namespace {

TEST_F(Verbs, AMessageArrivesAsItWasSent) {
  a_message_arrives_as_it_was_sent();
}

/// The connection manager takes it from the side that asks for the connection, and tells the other.
TEST_F(Verbs, PacketsOfBothSidesHaveTheTrafficClassThatTheUserSets) {
  const test::Setting by_user{"verbs_traffic_class", "104"};
  fabric_counts before{}, after{};
  fabric_count(&before);
  a_message_arrives_as_it_was_sent();
  fabric_count(&after);
  EXPECT_EQ(after.traffic_classes[104] - before.traffic_classes[104], 2U);
  EXPECT_EQ(after.traffic_classes[0], before.traffic_classes[0]);
}

TEST_F(Verbs, EveryLengthUpToTheLimitIsCopiedBeforeSendReturns) {
  every_length_up_to_the_limit_is_copied_before_send_returns();
}

TEST_F(Verbs, AProcessOfAnotherJobKnowsThisOneByAnotherIndex) {
  a_process_of_another_job_knows_this_one_by_another_index();
}

TEST_F(Verbs, MessagesComeInOrderAndOnceInBothDirections) {
  const auto to_first = connect(second, 3, first);  // both initiate an exchange
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Bytes data = pattern(5000, 5);
    constexpr int messages = 3000;
    int refused = 0;
    for (int sent = 0, back = 0; sent < messages || back < messages;) {
      const std::span<const std::byte> body(data.data(), random() % 3 == 0 ? random() % 4000 : random() % 200);
      const bool forth = sent < messages && to_second->send({.tag = sent}, {}, body) == Post::done;
      if (forth) ++sent;
      if (random() % 2 == 0 && back < messages && to_first->send({.tag = back}, {}, body) == Post::done) ++back;
      if (forth) continue;
      ++refused;
      first.poll(at_first);
      second.poll(at_second);
    }
    until([&] { return at_second.arrivals.size() >= messages && at_first.arrivals.size() >= messages; });
    for (Collector* const each : {&at_first, &at_second}) {
      ASSERT_EQ(each->arrivals.size(), std::size_t{messages});
      for (int i = 0; i < messages; ++i) {
        const Arrival& got = each->arrivals[static_cast<std::size_t>(i)];
        ASSERT_EQ(got.header.tag, i);
        ASSERT_TRUE(std::ranges::equal(got.body, std::span(data).first(got.body.size())));
      }
      each->arrivals.clear();
    }
    EXPECT_GT(refused, 0);
  }
}

TEST_F(Verbs, WhatTheSinkCannotTakeIsDeliveredAgainAndInOrder) {
  what_the_sink_cannot_take_is_delivered_again_and_in_order();
}

TEST_F(Verbs, ASleeperHearsOfAMessage) {
  a_sleeper_hears_of_a_message();
}

TEST_F(Verbs, ASleeperHearsOfAHandshake) {
  const auto deadline = Clock::now() + patience;
  while (second.ready() && Clock::now() < deadline) second.poll(at_second);
  const auto to_first = connect(first, 8, second);
  pollfd descriptor{second.descriptor(), POLLIN, 0};
  while (poll(&descriptor, 1, 0) == 0 && Clock::now() < deadline) first.poll(at_first);
  EXPECT_TRUE(second.ready());
}

TEST_F(Verbs, DrainedMeansThatEverythingHasLeft) {
  const Bytes data = pattern(4000, 1);
  std::size_t sent = 0;
  send(*to_second, {}, {}, data);
  for (++sent; to_second->send({}, {}, data) == Post::done;) ++sent;
  EXPECT_FALSE(first.drained());
  until([&] { return first.drained(); });
  until([&] { return at_second.arrivals.size() == sent; });
}

TEST_F(Verbs, WhoHasEndedProperlyHasLeftAndIsNotLost) {
  {
    VerbsDevice initiator{adapter, 5, 9, "elsewhere"};
    const auto to_second_too = connect(initiator, 8, second);
    Collector at_initiator;
    until([&] {
      initiator.poll(at_initiator);
      return to_second_too->send({.tag = 4}, {}, {}) == Post::done;
    });
    second.poll(at_second);
  }
  const auto back = second.connect(5, first.address());
  until([&] { return back->left(); });
  EXPECT_FALSE(back->lost());
  EXPECT_EQ(second.lost_peers(), 0U);
  ASSERT_EQ(at_second.arrivals.size(), 1U);
  EXPECT_EQ(back->send({}, {}, {}), Post::retry);
}

TEST_F(Verbs, WhoComesAgainAfterTheEndOfItsConnectionIsToldSo) {
  for (const bool again : {false, true}) {
    VerbsDevice initiator{adapter, 5, 9, "elsewhere"};
    const auto from_initiator = connect(initiator, 8, second);
    Collector at_initiator;
    testing::internal::CaptureStderr();
    until([&] {
      initiator.poll(at_initiator);
      return again ? from_initiator->lost() : from_initiator->send({.tag = 4}, {}, {}) == Post::done;
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(from_initiator->loss().find("has ended the connection from its side") != std::string::npos, again);
    if (again) continue;
    until([&] { return !at_second.arrivals.empty(); });
  }
}

TEST_F(Verbs, AnAddressThatHasArrivedDamagedIsRefused) {
  an_address_that_has_arrived_damaged_is_refused();
}

TEST_F(Verbs, AnAddressOfAnotherVersionIsRefusedWithASentence) {
  transport::Address other = second.address();
  const std::uint64_t version = 99;
  std::memcpy(other.data(), &version, sizeof version);
  std::string text;
  try {
    static_cast<void>(first.connect(7, other));
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("rank 7 speaks version 99"), std::string::npos) << text;
}

TEST_F(Verbs, AHandshakeOfAnotherVersionIsToldAndAnswered) {
  at_second.may_break = true;
  const DeviceAddress address = read_address(8, second.address());
  Handshake handshake;
  handshake.front.version = 99;
  handshake.front.cookie = address.cookie;
  handshake.sender = 4;
  OobConnection initiator(begin_connecting(address.places.front()), false);
  initiator.say(std::as_bytes(std::span(&handshake, 1)));
  until([&] {
    initiator.progress();
    return initiator.heard().size() >= sizeof(Answer);
  });
  Answer answer{};
  std::memcpy(&answer, initiator.heard().data(), sizeof answer);
  EXPECT_EQ(answer, Answer::other_version);
  ASSERT_EQ(at_second.broken_off.size(), 1U);
  EXPECT_EQ(at_second.broken_off[0].first, 4);
  EXPECT_NE(at_second.broken_off[0].second.find("rank 4 speaks version 99"), std::string::npos)
      << at_second.broken_off[0].second;
}

}  // namespace
}  // namespace bowline::verbs
