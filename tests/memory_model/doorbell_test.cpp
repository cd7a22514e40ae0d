// SPDX-License-Identifier: BSD-3-Clause
// shm/doorbell: an owner does not sleep through a message.
#include "shm/doorbell.hpp"

#include "base/cpu_relax.hpp"
#include "explore.hpp"

namespace bowline::shm {
namespace {

/// Two producers publish one message each; the owner sleeps whenever it has seen none.
struct Woken : model::Suite<Woken, 3> {
  Atomic<std::uint32_t> asleep{0};
  std::array<Atomic<std::uint32_t>, 2> published;

  Woken() { doorbell_register(); }
  void run(unsigned index) { index == 2 ? own() : produce(index); }

  void produce(unsigned producer) {
    published[producer].store(1, std::memory_order_release);
    if (owner_asleep(asleep)) wake_owner(asleep);
  }
  void own() {
    for (int seen = 0; seen < 2;) {
      seen = look();
      if (seen == 2) break;
      announce_sleep(asleep);
      if (look() == seen)
        sleep_on(asleep, 1000);
      else
        stay_awake(asleep);
    }
  }
  int look() {
    int seen = 0;
    for (Atomic<std::uint32_t>& word : published) seen += static_cast<int>(word.load(std::memory_order_acquire));
    return seen;
  }
};

// A wake-up that is lost leaves the owner asleep for ever.
TEST(Doorbell, TheOwnerDoesNotSleepThroughAMessage) {
  model::explore<Woken>(50'000);
}

}  // namespace
}  // namespace bowline::shm
