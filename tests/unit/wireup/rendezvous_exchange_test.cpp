// SPDX-License-Identifier: BSD-3-Clause
// wireup/rendezvous/exchange and roll: ranks, nodes, what waits for whom, and the order in which a world ends.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "wireup/rendezvous/exchange.hpp"

namespace bowline::wireup {
namespace {

using Kind = RendezvousAnswer;

std::vector<std::byte> bytes_of(const MessageWriter& message) {
  return {message.bytes().begin(), message.bytes().end()};
}

/// An exchange for three processes, and what it has sent.
class RendezvousExchange : public testing::Test {
 protected:
  RendezvousExchange()
      : line_{.host = "h", .port = 1, .secret = "0123456789abcdef", .size = 3},
        exchange_(line_, "1",
                  [this](int guest, const MessageWriter& message) { sent_.emplace_back(guest, bytes_of(message)); }) {}

  Arrival arrival(std::uint64_t node, int wanted = -1) const {
    return {.version = "1", .secret = line_.secret, .size = 3, .wanted = wanted, .node = node, .host = "h"};
  }
  bool greet(int guest, const Arrival& who) { return exchange_.greet(guest, bytes_of(who.message())); }
  void hear(int guest, const MessageWriter& message) { exchange_.hear(guest, bytes_of(message)); }
  void publish(int guest, const std::string& keys) {
    MessageWriter message;
    message.add(RendezvousCall::publish).add(std::string_view(keys));
    hear(guest, message);
  }
  /// The guests to whom a message of this kind was sent, in this order; forgets all messages.
  std::vector<int> told(Kind kind) {
    std::vector<int> guests;
    for (const auto& [guest, bytes] : std::exchange(sent_, {})) {
      if (MessageReader(bytes).take<Kind>() == kind) guests.push_back(guest);
    }
    return guests;
  }
  /// The text of the last message, which must be of this kind.
  std::string text(Kind kind) {
    MessageReader message(sent_.back().second);
    EXPECT_EQ(message.take<Kind>(), kind);
    return message.take_text();
  }
  Welcome welcome_of(int guest) const {
    Welcome welcome{.rank = -1};
    for (const auto& [to, bytes] : sent_) {
      MessageReader message(bytes);
      if (to == guest && message.take<Kind>() == Kind::welcome) welcome = Welcome::read(message);
    }
    return welcome;
  }
  /// Guests 0 to 2 are ranks 0 to 2, the last one alone on its node; the process of rank `serving` serves.
  void start(int serving) {
    for (int guest = 0; guest < 3; ++guest) {
      Arrival who = arrival(guest < 2 ? 7 : 8);
      who.serves = guest == serving;
      EXPECT_TRUE(greet(guest, who));
    }
    EXPECT_EQ(told(Kind::welcome), (std::vector{0, 1, 2}));
  }

  RendezvousLine line_;
  std::vector<std::pair<int, std::vector<std::byte>>> sent_;
  Exchange exchange_;
};

TEST_F(RendezvousExchange, ProcessesOfOneNodeHaveRanksSideBySide) {
  greet(5, arrival(70));
  greet(6, arrival(80));
  greet(9, arrival(70));
  EXPECT_EQ(welcome_of(5).rank, 0);
  EXPECT_EQ(welcome_of(9).rank, 1);
  EXPECT_EQ(welcome_of(6).rank, 2);
  EXPECT_EQ(welcome_of(6).nodes, (std::vector{0, 0, 1}));
  EXPECT_EQ(welcome_of(5).job, welcome_of(6).job);
}

TEST_F(RendezvousExchange, WantedRanksAreGiven) {
  greet(5, arrival(70));
  greet(6, arrival(80, 0));
  greet(9, arrival(70, 2));
  EXPECT_EQ(welcome_of(5).rank, 1);
  EXPECT_EQ(welcome_of(6).rank, 0);
  EXPECT_EQ(welcome_of(9).rank, 2);
  EXPECT_EQ(welcome_of(9).nodes, (std::vector{0, 1, 1}));
}

TEST_F(RendezvousExchange, RefusesWhoDoesNotBelongHere) {
  EXPECT_TRUE(greet(0, arrival(7, 1)));
  Arrival other = arrival(7);
  other.secret.back() = 'x';
  EXPECT_FALSE(greet(1, other));
  EXPECT_NE(text(Kind::refusal).find("the secret of this process is another one"), std::string::npos);
  other = arrival(7);
  other.size = 4;
  EXPECT_FALSE(greet(1, other));
  EXPECT_NE(text(Kind::refusal).find("size 4, and the one that serves for size 3"), std::string::npos);
  other = arrival(7);
  other.version = "2";
  EXPECT_FALSE(greet(1, other));
  EXPECT_NE(text(Kind::refusal).find("version 2 of Bowline, and the one that serves 1"), std::string::npos);
  EXPECT_FALSE(greet(1, arrival(7, 1)));
  EXPECT_NE(text(Kind::refusal).find("wants rank 1, which process 0 on h has"), std::string::npos);
  EXPECT_FALSE(greet(1, arrival(7, 3)));
  EXPECT_NE(text(Kind::refusal).find("rank 3, which must be 0 to 2"), std::string::npos);
  EXPECT_FALSE(exchange_.started());
}

TEST_F(RendezvousExchange, WhoLeavesBeforeTheStartDoesNotCount) {
  greet(0, arrival(7, 1));
  greet(1, arrival(7));
  exchange_.left(0);
  EXPECT_TRUE(greet(2, arrival(7, 1)));
  EXPECT_FALSE(exchange_.started());
  greet(3, arrival(7));
  EXPECT_TRUE(exchange_.started());
  EXPECT_EQ(welcome_of(2).rank, 1);
  told(Kind::welcome);
  EXPECT_FALSE(greet(4, arrival(7)));
  EXPECT_EQ(told(Kind::full), std::vector{4});
}

TEST_F(RendezvousExchange, GivesUpWithTheNumberThatHasCome) {
  greet(0, arrival(7));
  greet(1, arrival(7));
  exchange_.give_up(std::chrono::seconds(9));
  EXPECT_NE(text(Kind::refusal).find("only 2 of the 3 processes have come in 9 s"), std::string::npos);
  EXPECT_EQ(told(Kind::refusal), (std::vector{0, 1}));
}

TEST_F(RendezvousExchange, ANodeWaitsForItsOwnProcessesOnly) {
  start(0);
  publish(0, "a");
  EXPECT_EQ(told(Kind::published), std::vector<int>{});
  publish(2, "c");
  EXPECT_EQ(told(Kind::published), std::vector{2});
  publish(1, "b");
  EXPECT_EQ(told(Kind::published), (std::vector{0, 1}));
}

TEST_F(RendezvousExchange, ANodeDoesNotWaitForTheDead) {
  start(0);
  publish(0, "a");
  exchange_.left(1);
  EXPECT_NE(text(Kind::published).find("rank 1 of this node has ended"), std::string::npos);
}

TEST_F(RendezvousExchange, KeysAreToldOnceTheyArePublished) {
  start(0);
  MessageWriter question;
  question.add(RendezvousCall::keys).add(2);
  hear(0, question);
  EXPECT_EQ(told(Kind::keys), std::vector<int>{});
  publish(2, "c");
  EXPECT_EQ(told(Kind::keys), std::vector{0});
  exchange_.left(2);
  hear(1, question);
  MessageReader answer(sent_.back().second);
  EXPECT_EQ(answer.take<Kind>(), Kind::keys);
  EXPECT_EQ(answer.take<int>(), 2);
  EXPECT_EQ(answer.take<std::uint8_t>(), 1);
  EXPECT_EQ(answer.take_text(), "c");
}

TEST_F(RendezvousExchange, TheServingProcessFinishesLast) {
  start(1);
  MessageWriter finalize;
  finalize.add(RendezvousCall::finalize);
  hear(1, finalize);
  EXPECT_EQ(told(Kind::done), std::vector<int>{});
  hear(0, finalize);
  EXPECT_EQ(told(Kind::done), std::vector{0});
  EXPECT_FALSE(exchange_.over());
  exchange_.left(2);
  EXPECT_EQ(told(Kind::done), std::vector{1});
  EXPECT_TRUE(exchange_.over());
}

TEST_F(RendezvousExchange, AnAbortEndsTheServingProcessLast) {
  start(0);
  MessageWriter abort;
  abort.add(RendezvousCall::abort).add(4).add(std::string_view("why")).add_list(std::vector<int>{});
  hear(1, abort);
  EXPECT_EQ(told(Kind::end), std::vector{2});
  exchange_.left(2);
  EXPECT_EQ(sent_.front().first, 1);
  MessageReader order(sent_.back().second);
  EXPECT_EQ(sent_.back().first, 0);
  EXPECT_EQ(order.take<Kind>(), Kind::end);
  EXPECT_EQ(order.take<int>(), 4);
  EXPECT_EQ(order.take_text(), "why");
}

TEST_F(RendezvousExchange, AnAbortDoesNotWaitForEver) {
  start(0);
  MessageWriter abort;
  abort.add(RendezvousCall::abort).add(4).add(std::string_view("why")).add_list(std::vector{1, 2});
  hear(1, abort);
  EXPECT_EQ(told(Kind::end), std::vector{2});
  ASSERT_TRUE(exchange_.next_tick().has_value());
  exchange_.tick(*exchange_.next_tick());
  EXPECT_EQ(told(Kind::done), std::vector{1});
  EXPECT_FALSE(exchange_.next_tick().has_value());
}

}  // namespace
}  // namespace bowline::wireup
