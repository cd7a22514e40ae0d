// SPDX-License-Identifier: BSD-3-Clause
// verbs: how far a link is connected, and when it has failed, without an adapter.
#include "verbs/connection/peer_link.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "scripted_pair.hpp"

namespace bowline::verbs {
namespace {

using std::chrono::seconds;
using State = PeerLink::State;

constexpr PeerLink::Clock::time_point start{};

class LinkToPeer : public testing::Test {
 protected:
  /// The link fails, and is made again.
  bool fail(seconds when, seconds patience) {
    const bool late = link.note_failure(start + when, patience);
    link.cut("a reason");
    link.begin_epoch(link.epoch() + 1);
    connect(link, script);
    return late;
  }

  ScriptedPair::Script script;
  PeerLink link;
};

TEST_F(LinkToPeer, ItIsReadyWhenBothCanReceive) {
  EXPECT_FALSE(link.is_connected());
  connect(link, script, 9);
  EXPECT_EQ(link.state(), State::known);
  EXPECT_EQ(link.pair_number(), 1U);
  Handshake theirs;
  theirs.queue_pair = 9;
  EXPECT_TRUE(link.is_with(theirs));
  theirs.queue_pair = 8;
  EXPECT_FALSE(link.is_with(theirs));
  EXPECT_TRUE(link.sends_after_handshake());
  EXPECT_TRUE(link.become_ready());
  EXPECT_FALSE(link.become_ready()) << "it was";
  EXPECT_TRUE(link.is_ready());
}

TEST_F(LinkToPeer, TheConnectionManagerSaysWhoMaySend) {
  script.receives_at_once = script.sends_after_handshake = false;
  connect(link, script);
  EXPECT_EQ(link.state(), State::joining);
  EXPECT_FALSE(link.become_ready());
  link.can_receive();
  EXPECT_EQ(link.state(), State::known);
  EXPECT_FALSE(link.sends_after_handshake());
  EXPECT_FALSE(link.can_send_first()) << "the other side does";
}

TEST_F(LinkToPeer, ItIsGivenUpWhenNothingWasAnsweredForLong) {
  connect(link, script);
  EXPECT_FALSE(fail(seconds(100), seconds(10))) << "the first failure begins the time";
  EXPECT_EQ(link.epoch(), 1U);
  EXPECT_FALSE(fail(seconds(109), seconds(10)));
  EXPECT_TRUE(fail(seconds(111), seconds(10)));
  link.note_answer();
  EXPECT_FALSE(fail(seconds(200), seconds(10)));
}

TEST_F(LinkToPeer, TheConnectionManagerGetsFourAttemptsHoweverLongTheyTake) {
  script.receives_at_once = false;
  connect(link, script);
  for (int attempt = 0; attempt < 3; ++attempt) EXPECT_FALSE(fail(seconds(100 * attempt), seconds(10))) << attempt;
  EXPECT_TRUE(fail(seconds(300), seconds(10)));
  EXPECT_TRUE(link.can_send_first());
  EXPECT_FALSE(link.note_failure(start + seconds(400), seconds(1000)));
}

TEST_F(LinkToPeer, AnEndIsFinal) {
  connect(link, script);
  EXPECT_TRUE(link.lose("it is gone"));
  EXPECT_FALSE(link.lose("another reason"));
  EXPECT_FALSE(link.leave());
  EXPECT_EQ(link.why(), "it is gone");
  EXPECT_EQ(link.state(), State::lost);
  PeerLink other;
  EXPECT_TRUE(other.leave());
  EXPECT_FALSE(other.lose("too late"));
  EXPECT_EQ(other.state(), State::left);
}

}  // namespace
}  // namespace bowline::verbs
