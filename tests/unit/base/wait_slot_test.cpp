// SPDX-License-Identifier: BSD-3-Clause
// base/wait_slot: whole lines only, whoever writes when; and the text that leads a rank to its slot.
#include "base/waits/wait_slot.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace bowline {
namespace {

using State = WaitSlot::State;

/// As in fresh memory of a board.
struct Slot {
  alignas(WaitSlot) std::byte memory[sizeof(WaitSlot)]{};
  WaitSlot& operator*() { return reinterpret_cast<WaitSlot&>(memory); }
  WaitSlot* operator->() { return &**this; }
};

TEST(WaitSlot, Life) {
  Slot slot;
  EXPECT_EQ(slot->read().state, State::unused);
  slot->clear();
  EXPECT_EQ(slot->read().state, State::idle);
  slot->write({.text = "in MPI_Recv", .since = 42});
  EXPECT_EQ(slot->read().state, State::waiting);
  EXPECT_EQ(slot->read().text, "in MPI_Recv");
  EXPECT_EQ(slot->read().since, 42);
  slot->write({.text = "in MPI", .since = 43});
  EXPECT_EQ(slot->read().text, "in MPI");
  slot->clear();
  EXPECT_EQ(slot->read().state, State::idle);
}

TEST(WaitSlot, TellsThatMpiHasStartedAndHowTheRankHasEnded) {
  Slot slot;
  EXPECT_FALSE(slot->is_ready());
  slot->clear();
  EXPECT_FALSE(slot->is_ready());
  slot->write_ready();
  EXPECT_TRUE(slot->is_ready());
  EXPECT_FALSE(slot->read_end().has_value());
  constexpr int exited_with_255 = 0xff00, dumped_core = 0x8b;
  for (const int status : {0, SIGKILL, dumped_core, exited_with_255}) {
    slot->write_end({.lost = true, .status = status});
    EXPECT_EQ(slot->read_end(), (WaitSlot::End{.lost = true, .status = status}));
  }
  slot->write({.text = "in MPI_Recv", .since = 1});
  EXPECT_EQ(slot->read_end(), (WaitSlot::End{.lost = true, .status = exited_with_255}));
  slot->write_end({.lost = false, .status = 0});
  EXPECT_EQ(slot->read_end(), (WaitSlot::End{.lost = false, .status = 0}));
}

TEST(WaitSlot, TellsWhoCanEndTheWait) {
  Slot slot;
  WaitTargets targets{.kind = WaitTargets::Kind::any};
  for (const int rank : {4, 2, 4, 7}) targets.add(rank);
  slot->write({.text = "in MPI_Recv", .since = 1, .targets = targets, .activity = {99, 7, 8}});
  const WaitSlot::Line line = slot->read();
  EXPECT_EQ(line.targets.kind, WaitTargets::Kind::any);
  EXPECT_EQ(std::vector(line.targets.listed().begin(), line.targets.listed().end()), (std::vector{4, 2, 7}));
  EXPECT_FALSE(line.targets.more);
  EXPECT_EQ(line.activity, (WaitActivity{99, 7, 8}));
  EXPECT_EQ(line.process, getpid());
  slot->write({.text = "in MPI_Recv", .since = 1, .targets = targets, .activity = {99, 7, 8}});
  EXPECT_GT(slot->read().version, line.version) << "the writer has looked again";
}

TEST(WaitTargets, MoreThanFitAreNotListed) {
  WaitTargets targets{.kind = WaitTargets::Kind::all};
  for (int rank = 0; rank < static_cast<int>(WaitTargets::most); ++rank) targets.add(rank);
  EXPECT_FALSE(targets.more);
  targets.add(0);
  EXPECT_FALSE(targets.more) << "it is listed";
  targets.add(1000);
  EXPECT_TRUE(targets.more);
  EXPECT_EQ(targets.listed().back(), static_cast<int>(WaitTargets::most) - 1);
}

TEST(WaitTargets, ARankThatIsNotKnownLeavesItOpen) {
  WaitTargets targets = WaitTargets::one(3);
  EXPECT_EQ(targets.kind, WaitTargets::Kind::all);
  targets.add(-1);
  EXPECT_EQ(targets.kind, WaitTargets::Kind::outside);
}

TEST(WaitTargets, OfSeveralRequests) {
  const WaitTargets outside, one = WaitTargets::one(3), some = WaitTargets::some_rank();
  const auto kind_of = [](auto joined, std::initializer_list<WaitTargets> requests) {
    for (const WaitTargets& each : requests) joined.add(each);
    return joined.targets().kind;
  };
  EXPECT_EQ(kind_of(AllOfRequests(), {some, one}), WaitTargets::Kind::all);
  EXPECT_EQ(kind_of(AllOfRequests(), {some}), WaitTargets::Kind::any);
  EXPECT_EQ(kind_of(AllOfRequests(), {one, outside, one}), WaitTargets::Kind::outside);
  EXPECT_EQ(kind_of(AnyOfRequests(), {one, some}), WaitTargets::Kind::any);
  EXPECT_EQ(kind_of(AnyOfRequests(), {outside, one}), WaitTargets::Kind::outside);
}

TEST(WaitSlot, KeepsToOneLineOfBoundedLength) {
  Slot slot;
  slot->write(
      {.text = std::string("a\nb\r\t\x1b\x7f") + '\0' + "\xc3\xa4", .since = 1});  // a letter of UTF-8 at the end
  EXPECT_EQ(slot->read().text, "a?b?????\xc3\xa4");
  for (const std::size_t length : {1UL, 7UL, 8UL, 9UL, WaitSlot::longest - 1, WaitSlot::longest}) {
    slot->write({.text = std::string(length, 'x'), .since = 1});
    EXPECT_EQ(slot->read().text, std::string(length, 'x'));
  }
  slot->write({.text = std::string(WaitSlot::longest + 100, 'x'), .since = 1});
  EXPECT_EQ(slot->read().text, std::string(WaitSlot::longest, 'x'));
}

TEST(WaitSlot, WhatTheRankHasCalled) {
  Slot slot;
  EXPECT_FALSE(slot->read_calls());
  slot->write_calls(7, "2 collectives");
  slot->write({.text = "in MPI_Finalize", .since = 1});
  ASSERT_TRUE(slot->read_calls());
  EXPECT_EQ(slot->read_calls()->digest, 7);
  EXPECT_EQ(slot->read_calls()->words, "2 collectives");
  EXPECT_EQ(slot->read().text, "in MPI_Finalize");
  slot->write_calls(8, std::string(WaitSlot::longest_last_call + 1, 'x'));
  EXPECT_EQ(slot->read_calls()->words, std::string(WaitSlot::longest_last_call, 'x'));
}

TEST(WaitSlot, WriterThatNeverComesToItsEnd) {
  Slot slot;
  slot->write({.text = "in MPI_Recv", .since = 1});
  *reinterpret_cast<std::uint32_t*>(slot.memory) |= 1;  // its version
  EXPECT_EQ(slot->read().state, State::unreadable);
  slot->write({.text = "in MPI_Send", .since = 2});  // of another process: leaves the slot alone, and does not wait
  EXPECT_EQ(slot->read().state, State::unreadable);
}

TEST(ThreadsWaitSlot, NoLineIsTorn) {
  Slot slot;
  const auto length_for = [](char letter) {
    return 1 + static_cast<std::size_t>(letter - 'a') * (WaitSlot::longest - 1) / ('z' - 'a');
  };
  slot->write({.text = "a", .since = 'a'});
  std::atomic<bool> over = false;
  const auto write = [&](char first, char last) {
    for (char letter = first; !over.load(); letter = letter == last ? first : static_cast<char>(letter + 1))
      slot->write({.text = std::string(length_for(letter), letter), .since = letter});
  };
  std::thread one(write, 'a', 'm');
  std::thread other(write, 'n', 'z');
  for (int reads = 0; reads < 5'000; ++reads) {
    const WaitSlot::Line line = slot->read();
    if (line.state == State::unreadable) continue;  // the writers were too fast
    ASSERT_EQ(line.state, State::waiting);
    const auto letter = static_cast<char>(line.since);
    ASSERT_EQ(line.text, std::string(length_for(letter), letter));
  }
  over = true;
  one.join();
  other.join();
}

TEST(WaitBoardTicket, RoundTrip) {
  const WaitBoardTicket ticket{.descriptor = 17, .slot = 4711, .key = 0xfedcba9876543210};
  EXPECT_EQ(ticket.text(), "17:4711:fedcba9876543210");
  const auto read = WaitBoardTicket::parse(ticket.text());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->descriptor, ticket.descriptor);
  EXPECT_EQ(read->slot, ticket.slot);
  EXPECT_EQ(read->key, ticket.key);
  EXPECT_TRUE(WaitBoardTicket::parse("0:0:0").has_value());
}

TEST(WaitBoardTicket, WrongText) {
  for (const char* const text : {"",
                                 ":",
                                 "::",
                                 "1",
                                 "1:",
                                 "1:2",
                                 "1:2:",
                                 "1::3",
                                 ":2:3",
                                 "1:2:x",
                                 "1:2:3:",
                                 "1:2:3:4",
                                 "1:2:3 ",
                                 " 1:2:3",
                                 "1 :2:3",
                                 "+1:2:3",
                                 "-1:2:3",
                                 "1:-2:3",
                                 "1:2:-3",
                                 "1:2:0x3",
                                 "99999999999:2:3",
                                 "1:99999999999:3",
                                 "1:2:10000000000000000"})
    EXPECT_FALSE(WaitBoardTicket::parse(text).has_value()) << text;
}

TEST(WaitBoardTicket, SlotsFollowTheHeader) {
  EXPECT_EQ(sizeof(WaitBoardHeader), sizeof(WaitSlot));
  EXPECT_EQ(WaitBoardTicket::offset_of(0), sizeof(WaitBoardHeader));
  EXPECT_EQ(WaitBoardTicket::offset_of(8), 9 * sizeof(WaitSlot));
  EXPECT_EQ(WaitBoardTicket::bytes_for(1), 2 * sizeof(WaitSlot));
}

}  // namespace
}  // namespace bowline
