// SPDX-License-Identifier: BSD-3-Clause
// shm/notification_bits: a notification is never lost, and the owner that sees it sees what was published before.
#include "shm/notification_bits.hpp"

#include "base/cpu_relax.hpp"
#include "explore.hpp"

namespace bowline::shm {
namespace {

/// Two producers, whose bits share a word, publish twice each. The owner takes until it has seen all.
struct Notified : model::Suite<Notified, 3> {
  static constexpr std::uint32_t publications = 2;

  NotificationBits bits;
  std::array<Atomic<std::uint32_t>, 2> published;

  void run(unsigned index) { index == 2 ? take() : publish(index); }

  void publish(unsigned producer) {
    for (std::uint32_t i = 1; i <= publications; ++i) {
      published[producer].store(i, std::memory_order_relaxed);
      bits.notify(producer);
    }
  }
  void take() {
    std::array<std::uint32_t, 2> seen{};
    while (seen[0] < publications || seen[1] < publications) {
      if (bits.any(2))
        bits.take(2,
                  [&](std::size_t producer) { seen[producer] = published[producer].load(std::memory_order_relaxed); });
      cpu_relax();
    }
  }
};

// A lost notification, or one without its publication, leaves the owner waiting.
TEST(NotificationBits, TheOwnerSeesEveryPublication) {
  model::explore<Notified>(50'000);
}

}  // namespace
}  // namespace bowline::shm
