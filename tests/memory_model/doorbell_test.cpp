// SPDX-License-Identifier: BSD-3-Clause
// shm/doorbell: an owner does not sleep through a message.
#include "shm/doorbell.hpp"

#include "base/cpu_relax.hpp"
#include "base/kernel_waits.hpp"
#include "explore.hpp"

namespace bowline::shm {
namespace {

/// Makes this process register again, with a kernel that offers the fences of other processes or refuses them.
void register_with(bool process_fences) {
  model::process_fences_offered = process_fences;
  doorbell_register();
}

/// What two producers have published.
struct Published {
  std::array<Atomic<std::uint32_t>, 2> words;

  int look() {
    int seen = 0;
    for (Atomic<std::uint32_t>& word : words) seen += static_cast<int>(word.load(std::memory_order_acquire));
    return seen;
  }
};

/// Two producers publish one message each; the owner sleeps whenever it has seen none.
template <bool process_fences>
struct Woken : model::Suite<Woken<process_fences>, 3> {
  Atomic<std::uint32_t> asleep{0};
  Published published;

  Woken() { register_with(process_fences); }
  void run(unsigned index) { index == 2 ? own() : produce(index); }

  void produce(unsigned producer) {
    published.words[producer].store(1, std::memory_order_release);
    if (owner_asleep(asleep)) wake_owner(asleep);
  }
  void own() {
    for (int seen = 0; seen < 2;) {
      seen = published.look();
      if (seen == 2) break;
      announce_sleep(asleep);
      published.look() == seen ? sleep_on(asleep, 1000) : stay_awake(asleep);
    }
  }
};

// A wake-up that is lost leaves the owner asleep for ever.
TEST(Doorbell, TheOwnerDoesNotSleepThroughAMessage) {
  model::explore<Woken<true>>(50'000);
}

// Without the fences, a wake-up may be lost, so the owner only naps.
TEST(Doorbell, TheOwnerNapsWhereTheKernelRefusesFences) {
  model::explore<Woken<false>>(50'000);
}

/// The owner sleeps at a bell, whose place it has written before it first announces that it sleeps there. Of the
/// producers that find it asleep, one rings.
struct Rung : model::Suite<Rung, 3> {
  static constexpr std::uint32_t place_of_bell = 7;

  Atomic<std::uint32_t> asleep{0}, bell{0}, announced{0};
  model::Plain<std::uint32_t> place;
  Published published;
  std::uint32_t rings = 0;

  Rung() { register_with(true); }
  void run(unsigned index) { index == 2 ? own() : produce(index); }

  void produce(unsigned producer) {
    published.words[producer].store(1, std::memory_order_release);
    if (!owner_asleep(asleep) || wake_owner(asleep) != Asleep::elsewhere) return;
    RL_ASSERT(place.get() == place_of_bell);
    RL_ASSERT(++rings <= announced.load(std::memory_order_relaxed));
    bell.store(1, std::memory_order_release);
    futex_wake(bell);
  }
  void own() {
    place.set(place_of_bell);
    for (int seen = 0; seen < 2;) {
      seen = published.look();
      if (seen == 2) break;
      announced.fetch_add(1, std::memory_order_relaxed);
      announce_sleep(asleep, Asleep::elsewhere);
      if (published.look() == seen) {
        while (bell.exchange(0, std::memory_order_acquire) == 0) futex_wait(bell, 0, 1000);
      }
      stay_awake(asleep);
    }
  }
};

TEST(Doorbell, OneProducerRingsTheBellOfAnOwnerThatSleepsElsewhere) {
  model::explore<Rung>(50'000);
}

/// Two threads of the owner wait for a message each, and one word announces both. The thread that gets up wakes the
/// other one, which announces its sleep again (proto/lanes).
struct ThreadsWoken : model::Suite<ThreadsWoken, 3> {
  Atomic<std::uint32_t> asleep{0}, sleeping{0};
  Published published;

  ThreadsWoken() { register_with(true); }
  void run(unsigned index) { index == 2 ? produce() : own(index); }

  void produce() {
    for (Atomic<std::uint32_t>& word : published.words) {
      word.store(1, std::memory_order_release);
      if (owner_asleep(asleep)) wake_owner(asleep);
    }
  }
  void own(unsigned thread) {
    const Atomic<std::uint32_t>& awaited = published.words[thread];
    while (awaited.load(std::memory_order_acquire) == 0) {
      sleeping.fetch_add(1, std::memory_order_seq_cst);
      announce_sleep(asleep);
      awaited.load(std::memory_order_acquire) == 0 ? sleep_on(asleep, 1000) : stay_awake(asleep);
      if (sleeping.fetch_sub(1, std::memory_order_seq_cst) > 1) wake_all(asleep);
    }
  }
};

TEST(Doorbell, NoThreadOfTheOwnerSleepsThroughItsMessage) {
  model::explore<ThreadsWoken>(50'000);
}

}  // namespace
}  // namespace bowline::shm
