// SPDX-License-Identifier: BSD-3-Clause
// verbs: the two halves of a ring, without devices: the test copies what adapters would write and read.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <thread>

#include "base/wait.hpp"
#include "support/seed.hpp"
#include "two_verbs_devices.hpp"
#include "verbs/ring/incoming_ring.hpp"
#include "verbs/ring/outgoing_ring.hpp"
#include "verbs/ring/ring_pool.hpp"

namespace bowline::verbs {
namespace {

constexpr std::size_t max_inline = 256;

class Ring : public testing::Test {
 protected:
  /// Writes a message into the ring; false if there is no slot.
  bool send(std::span<const std::byte> message) {
    if (!sender.claim()) return false;
    write(message);
    return true;
  }
  /// Writes it into the slot that was claimed last.
  void write(std::span<const std::byte> message) {
    std::array<std::byte, max_inline> request{};
    std::ranges::copy(message, request.begin());
    const std::uint64_t address = sender.finish(request.data(), message.size());
    std::memcpy(reinterpret_cast<void*>(address), request.data(), write_bytes(message.size()));
  }
  void tell() {
    const RingTicket told = receiver.tell();
    std::memcpy(static_cast<void*>(&ticket), &told, offsetof(RingTicket, posted));
  }
  void ask() {
    receiver.ask().ticket->posted = ticket.posted;
    receiver.ended(nullptr);
  }
  void open() {
    receiver.open();
    tell();
  }
  bool take(std::span<const std::byte> expected) {
    const auto found = receiver.front();
    if (!std::ranges::equal(found, expected)) return false;
    receiver.pop();
    return true;
  }
  /// The word behind the next message.
  std::byte* next_word() {
    return reinterpret_cast<std::byte*>(ticket.address + (receiver.taken() % ring_slots + 1) * slot_bytes) - 8;
  }

  Adapter adapter{survey_ports().front()};
  RingTickets tickets{adapter};
  RingPool pool{adapter, tickets, 1};
  IncomingRing receiver{pool, adapter.make_block(ring_bytes, Adapter::for_peers), tickets.take()};
  RingTicket ticket{};
  OutgoingRing sender{ticket, max_inline};
  const Bytes shortest = pattern(sizeof(WireHeader), 1), longest = pattern(longest_in_slot, 2);
};

TEST_F(Ring, NothingIsSentBeforeItIsOpened) {
  EXPECT_FALSE(sender.claim());
  open();
  EXPECT_TRUE(send(shortest));
}

TEST_F(Ring, MessagesOfEveryLengthComeAsTheyWereSentLapAfterLap) {
  open();
  std::mt19937 random(test::seeds().front());
  for (unsigned i = 0; i < 100 * ring_slots; ++i) {
    const Bytes message = pattern(sizeof(WireHeader) + random() % (longest_in_slot - sizeof(WireHeader) + 1), i);
    EXPECT_TRUE(receiver.front().empty()) << i;
    ASSERT_TRUE(send(message)) << i;
    ASSERT_TRUE(take(message)) << i;
    if (receiver.must_tell()) tell();
  }
  EXPECT_EQ(receiver.taken(), 100 * ring_slots);
}

TEST_F(Ring, AFullRingTakesNothingUntilItsReceiverHasToldOfFreeSlots) {
  open();
  for (unsigned i = 0; i < ring_slots; ++i) ASSERT_TRUE(send(shortest)) << i;
  EXPECT_FALSE(sender.claim());
  EXPECT_FALSE(receiver.must_tell());
  unsigned taken = 0;
  for (; !receiver.must_tell(); ++taken) ASSERT_TRUE(take(shortest));
  EXPECT_LT(taken, ring_slots) << "the sender would have to wait";
  EXPECT_FALSE(sender.claim());
  tell();
  for (unsigned i = 0; i < taken; ++i) ASSERT_TRUE(send(longest)) << i;
  EXPECT_FALSE(sender.claim());
  for (unsigned i = taken; i < ring_slots; ++i) ASSERT_TRUE(take(shortest)) << i;
  for (unsigned i = 0; i < taken; ++i) ASSERT_TRUE(take(longest)) << i;
}

TEST_F(Ring, OnlyWhatFitsASlotAndARequestGoesIntoARing) {
  EXPECT_TRUE(sender.takes(longest_in_slot));
  EXPECT_FALSE(sender.takes(longest_in_slot + 1));
  RingTicket other{};
  const OutgoingRing narrow{other, 64};
  EXPECT_TRUE(narrow.takes(56));
  EXPECT_FALSE(narrow.takes(57));
  EXPECT_FALSE(OutgoingRing().takes(sizeof(WireHeader)));
}

TEST_F(Ring, AMessageIsNotTakenBeforeTheRightWordIsBehindIt) {
  open();
  ASSERT_TRUE(send(longest));
  std::uint64_t word = 0;
  std::memcpy(&word, next_word(), sizeof word);
  const std::uint64_t other_lap = slot_word(ring_slots, longest.size()), too_long = slot_word(0, longest_in_slot + 1),
                      too_short = slot_word(0, sizeof(WireHeader) - 1);
  for (const std::uint64_t wrong : {std::uint64_t{0}, other_lap, too_long, too_short}) {
    std::memcpy(next_word(), &wrong, sizeof wrong);
    EXPECT_TRUE(receiver.front().empty()) << wrong;
  }
  std::memcpy(next_word(), &word, sizeof word);
  EXPECT_TRUE(take(longest));
}

TEST_F(Ring, AClosedRingIsClosedWhenEverythingClaimedHasCome) {
  open();
  ASSERT_TRUE(sender.claim());  // the sender is between its look at the limit and its write
  receiver.close();
  EXPECT_TRUE(receiver.must_tell());
  tell();
  EXPECT_TRUE(receiver.must_ask());
  ask();
  EXPECT_FALSE(receiver.is_closed());
  EXPECT_TRUE(receiver.must_ask()) << "the sender may have given the slot back";
  write(shortest);
  EXPECT_FALSE(sender.claim());
  EXPECT_TRUE(take(shortest));
  EXPECT_TRUE(receiver.is_closed());
  EXPECT_FALSE(receiver.must_ask() || receiver.must_tell());
  open();
  EXPECT_TRUE(send(longest));
  EXPECT_TRUE(take(longest));
}

TEST_F(Ring, AClosedRingIsClosedWhenWhatWasClaimedIsGivenBack) {
  open();
  ASSERT_TRUE(sender.claim());
  receiver.close();
  tell();
  ask();
  EXPECT_FALSE(receiver.is_closed());
  sender.unclaim();
  ask();
  EXPECT_TRUE(receiver.is_closed());
}

/// One thread claims slots while the other closes and opens the ring. Slots are not written, only counted.
TEST_F(Ring, NoSlotIsClaimedInAClosedRing) {
  constexpr int enough = 20;  // times that the ring is closed while a slot is being claimed
  std::atomic_ref limit(ticket.limit), posted(ticket.posted);
  std::atomic<std::uint32_t> claimed{0};
  std::atomic<bool> stop{false};
  std::thread claims([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      if (sender.claim()) claimed.fetch_add(1, std::memory_order_release);
    }
  });
  std::uint32_t taken = 0;
  int busy = 0, late = 0;
  const auto deadline = Clock::now() + patience;
  for (unsigned i = 0; busy < enough && late == 0 && Clock::now() < deadline; ++i) {
    limit.store(static_cast<std::uint8_t>(taken + 120));  // so many that the other thread is still at it
    for (unsigned j = 0; j < i % 16; ++j) cpu_relax();
    limit.store(static_cast<std::uint8_t>(taken));
    // What was claimed when the ring was closed is known in the end, and nothing is claimed afterwards.
    std::uint8_t answer = posted.load();
    if (static_cast<std::uint8_t>(claimed.load()) != answer) ++busy;
    while (static_cast<std::uint8_t>(taken = claimed.load(std::memory_order_acquire)) != answer) {
      std::this_thread::yield();
      answer = posted.load();
    }
    for (int j = 0; j < 20; ++j) cpu_relax();
    if (claimed.load() != taken) ++late;
  }
  stop.store(true);
  claims.join();
  EXPECT_EQ(late, 0);
  EXPECT_GT(taken, 0U);
  if (std::thread::hardware_concurrency() > 1) {
    EXPECT_GT(busy, 0) << "the ring was never closed while a slot was being claimed";
  }
}

TEST_F(Ring, ItIsNotClosedWhileAnAnswerIsAwaited) {
  open();
  receiver.close();
  tell();
  static_cast<void>(receiver.ask());
  EXPECT_FALSE(receiver.is_closed());
  EXPECT_FALSE(receiver.must_ask()) << "it asks once at a time";
  receiver.ended(nullptr);
  EXPECT_TRUE(receiver.is_closed());
}

}  // namespace
}  // namespace bowline::verbs
