// SPDX-License-Identifier: BSD-3-Clause
// shm/ring, shm/notification_bits and shm/doorbell together: what remains of the order between `watched` and a look
// into the ring, for which neither side has a fence.
#include <new>

#include "base/kernel_waits.hpp"
#include "explore.hpp"
#include "shm/doorbell.hpp"
#include "shm/notification_bits.hpp"
#include "shm/ring.hpp"

namespace bowline::shm {
namespace {

constexpr std::size_t lines = 16;

/// A ring that the owner stops watching while the producer pushes. `looks`: before how many of its sleeps the owner
/// looks into the ring. Otherwise it reads the ring only when it is notified of it.
template <int looks, bool process_fences = true>
struct Unwatched : model::Suite<Unwatched<looks, process_fences>, 2> {
  static constexpr std::uint32_t messages = 3;

  alignas(64) std::array<std::byte, sizeof(RingControl) + lines * line_bytes> memory{};
  Atomic<std::uint32_t> asleep{0};
  NotificationBits bits;
  RingProducer producer{memory.data(), lines};
  RingConsumer consumer{memory.data(), lines};
  std::uint32_t taken = 0;

  Unwatched() {
    new (memory.data()) RingControl;
    this->words.mix(memory.data() + sizeof(RingControl), lines * line_bytes / 8,
                    [](std::size_t i) { return i % 8 == 0; });
    model::process_fences_offered = process_fences;
    doorbell_register();
    consumer.watch(true);
  }
  void run(unsigned index) { index == 0 ? produce() : own(); }

  void produce() {
    for (std::uint32_t i = 0; i < messages; ++i) {
      RL_ASSERT(producer.push({.context = i}, {}, {}));
      if (!producer.watched()) bits.notify(0);
      if (owner_asleep(asleep)) wake_owner(asleep);
    }
  }
  void own() {
    read();
    consumer.watch(false);
    read();  // the last look into the ring
    for (int slept = 0; taken < messages; ++slept) {
      announce_sleep(asleep);
      const bool found = bits.any(1) || (slept < looks && consumer.ready());
      found ? stay_awake(asleep) : sleep_on(asleep, 1000);
      bits.take(1, [&](std::size_t) { read(); });
      if (slept < looks) read();
    }
  }
  void read() {
    while (consumer.pop([&](transport::Header header, auto...) { RL_ASSERT(header.context == taken); }) == Taken::one)
      ++taken;
  }
};

constexpr int always = 1'000'000;

TEST(Watched, AnOwnerThatLooksBeforeEachSleepFindsEveryMessage) {
  model::explore<Unwatched<always>>(20'000);
}

// The fences of a sleep stand between the owner's words and its look, so a producer whose record the look has not found
// reads that the ring is not watched.
TEST(Watched, OneLookBeforeASleepSufficesBecauseOfTheFences) {
  model::explore<Unwatched<1>>(20'000);
}

TEST(Watched, AnOwnerThatNapsFindsEveryMessage) {
  model::explore<Unwatched<always, false>>(20'000);
}

/// The producer may read that the ring is watched after the last look of an owner that does not see the record.
TEST(Watched, AnOwnerThatNeverLooksAgainMissesAMessage) {
  model::expect_failure<Unwatched<0>>(20'000);
}

// Nor do the looks before naps order anything: only looks that never end find every message.
TEST(Watched, AnOwnerThatNapsAndStopsLookingMissesAMessage) {
  model::expect_failure<Unwatched<1, false>>(20'000);
}

}  // namespace
}  // namespace bowline::shm
