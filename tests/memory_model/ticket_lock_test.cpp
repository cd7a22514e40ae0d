// SPDX-License-Identifier: BSD-3-Clause
// rma/ticket_lock, and the notices of members that sleep for it: who holds the lock sees what its former holders have
// put, nobody else puts meanwhile, and nobody sleeps for ever.
#include "rma/synchronization/ticket_lock.hpp"

#include "rma/synchronization/control_lines.hpp"
#include "sleeping.hpp"

namespace bowline::rma {
namespace {

/// Members lock the target with these kinds, one after the other. A writer puts both words, a reader gets them.
template <std::array kinds>
struct Locked : model::Suite<Locked<kinds>, kinds.size()> {
  static constexpr std::size_t members = kinds.size();

  std::array<ControlLines, members> lines;
  Atomic<std::uint32_t> sleepers{0};
  std::array<Atomic<std::uint32_t>, members> bells;
  model::Plain<int> first, second;

  Locked() {
    shm::doorbell_register();
    first.set(0);
    second.set(0);
  }
  void run(unsigned me) {
    for (const LockKind kind : kinds[me]) {
      lock(me, kind);
      if (kind == LockKind::exclusive) {
        const int value = first.get() + 1;
        first.set(value);
        second.set(value);
      } else {
        RL_ASSERT(first.get() == second.get());
      }
      lines[0].lock.release(kind);
      changed(me);
    }
  }

  void lock(unsigned me, LockKind kind) {
    TicketLock& lock = lines[0].lock;
    const std::uint64_t ticket = lock.draw();
    const proto::Watch watch(lock.word(kind), ticket, {&lines[me].asleep, &sleepers});
    model::sleep_until_reached(watch, bells[me]);
    lock.entered(kind, ticket);
    if (kind == LockKind::shared) changed(me);
  }
  /// As NodeMemory::changed().
  void changed(unsigned me) {
    if (!proto::SleepNotice::any_up(sleepers)) return;
    for (unsigned member = 0; member < members; ++member)
      if (member != me && proto::SleepNotice::is_up(lines[member].asleep)) model::wake_at(bells[member]);
  }
};

constexpr LockKind reads = LockKind::shared, writes = LockKind::exclusive;
using Twice = std::array<LockKind, 2>;

TEST(TicketLock, WritersSeeEachOthersPuts) {
  model::explore<Locked<std::array{Twice{writes, writes}, Twice{writes, writes}}>>(20'000);
}
TEST(TicketLock, AReaderSeesThePutsOfWritersBefore) {
  model::explore<Locked<std::array{Twice{writes, reads}, Twice{reads, writes}}>>(20'000);
}
TEST(TicketLock, ReadersPassOnWhatTheyHaveSeen) {
  model::explore<Locked<std::array{Twice{writes, writes}, Twice{reads, reads}, Twice{reads, writes}}>>(20'000);
}

}  // namespace
}  // namespace bowline::rma
