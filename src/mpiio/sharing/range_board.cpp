// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/sharing/range_board.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>

#include "base/cpu_relax.hpp"
#include "base/this_thread.hpp"
#include "node/peer_memory.hpp"

namespace bowline::mpiio {
namespace {

/// What a thread does between two looks at a word that another process or thread will change after some system calls.
class Pause {
 public:
  /// Returns true from time to time: the caller then asks whether the other process still exists.
  bool rest() {
    constexpr unsigned spins = 200, yields = 250, sleeps_per_look = 64;
    ++rests_;
    if (rests_ <= spins) {
      cpu_relax();
    } else if (rests_ <= yields) {
      yield_thread();
    } else {
      sleep_thread(nap_);
      nap_ = std::min<std::chrono::microseconds>(2 * nap_, std::chrono::milliseconds(1));
    }
    return rests_ > yields && rests_ % sleeps_per_look == 0;
  }

 private:
  unsigned rests_ = 0;
  std::chrono::microseconds nap_{50};
};

}  // namespace

std::size_t RangeBoard::bytes_for(int processes) noexcept {
  return sizeof(Header) + static_cast<std::size_t>(processes) * slots_each * sizeof(Slot);
}

RangeBoard::RangeBoard(std::span<std::byte> memory, int rank, int processes, pid_t process) noexcept
    : header_(*reinterpret_cast<Header*>(memory.data())),
      slots_(reinterpret_cast<Slot*>(memory.data() + sizeof(Header)), static_cast<std::size_t>(processes) * slots_each),
      own_(static_cast<std::size_t>(rank) * slots_each),
      process_(process) {
  const std::uint64_t pid_namespace = node::pid_namespace();
  for (Slot& slot : own_slots()) {
    slot.process.store(process, std::memory_order_relaxed);
    slot.pid_namespace.store(pid_namespace, std::memory_order_relaxed);
  }
}

int RangeBoard::take_slot() {
  constexpr std::uint32_t all = (1U << slots_each) - 1;
  for (Pause pause;; pause.rest()) {
    const std::lock_guard hold(mutex_);
    if (taken_ == all) continue;
    const int slot = std::countr_one(taken_);
    taken_ |= 1U << slot;
    return slot;
  }
}

int RangeBoard::enter(Extent part, Access kind) {
  const int slot = take_slot();
  Slot& mine = own_slots()[static_cast<std::size_t>(slot)];
  // A waiter may see the slot's former state beside this part, and not wait. It must see then what was written before
  // that state ended.
  mine.begin.store(part.begin, std::memory_order_release);
  mine.end.store(part.end, std::memory_order_release);
  if (kind == Access::plain) {
    enter_plain(mine, part);
  } else {
    enter_exclusive(mine, part);
  }
  return slot;
}

void RangeBoard::leave(int slot, Access kind) noexcept {
  own_slots()[static_cast<std::size_t>(slot)].state.store(idle, std::memory_order_release);
  if (kind == Access::exclusive) header_.exclusives.fetch_sub(1, std::memory_order_seq_cst);
  const std::lock_guard hold(mutex_);
  taken_ &= ~(1U << slot);
}

/// A plain writer that meets an exclusive writer withdraws until the exclusive writer has left, so an exclusive writer
/// never waits for a plain writer that waits itself.
void RangeBoard::enter_plain(Slot& mine, Extent part) {
  for (;;) {
    mine.state.store(plain, std::memory_order_seq_cst);
    if (header_.exclusives.load(std::memory_order_seq_cst) == 0) [[likely]]
      return;
    const auto blocks = [&](const Slot& other) {
      const std::uint64_t state = other.state.load(std::memory_order_seq_cst);
      return state >= choosing && part.overlaps({other.begin.load(), other.end.load()});
    };
    const auto other = std::ranges::find_if(slots_, [&](const Slot& each) { return &each != &mine && blocks(each); });
    if (other == slots_.end()) return;
    mine.state.store(idle, std::memory_order_seq_cst);
    wait_while(*other, blocks);
  }
}

void RangeBoard::enter_exclusive(Slot& mine, Extent part) {
  header_.exclusives.fetch_add(1, std::memory_order_seq_cst);
  mine.state.store(choosing, std::memory_order_seq_cst);
  const std::uint64_t ticket = first_ticket + header_.tickets.fetch_add(1, std::memory_order_seq_cst);
  mine.state.store(ticket, std::memory_order_seq_cst);
  wait_for_each(mine, [&](const Slot& other) {
    const std::uint64_t state = other.state.load(std::memory_order_seq_cst);
    const bool first = state == plain || state == choosing || (state >= first_ticket && state < ticket);
    return first && part.overlaps({other.begin.load(), other.end.load()});
  });
}

template <class Blocks>
void RangeBoard::wait_for_each(const Slot& mine, Blocks blocks) {
  for (Slot& other : slots_) {
    if (&other != &mine) wait_while(other, blocks);
  }
}

template <class Blocks>
void RangeBoard::wait_while(Slot& other, Blocks blocks) {
  for (Pause pause; blocks(other);) {
    if (pause.rest() && has_ended(other)) clear(other);
  }
}

/// Takes what a process that has ended still holds.
void RangeBoard::clear(Slot& of_ended) noexcept {
  const std::uint64_t left = of_ended.state.exchange(idle, std::memory_order_seq_cst);
  if (left >= choosing) header_.exclusives.fetch_sub(1, std::memory_order_seq_cst);
}

/// Whether the process that owns the slot has ended. A process of another pid namespace is not visible here, so it is
/// believed to be alive.
bool RangeBoard::has_ended(const Slot& other) {
  const pid_t process = other.process.load(std::memory_order_relaxed);
  if (process == 0 || process == process_ ||
      other.pid_namespace.load(std::memory_order_relaxed) != node::pid_namespace())
    return false;
  const std::lock_guard hold(mutex_);
  const auto number = static_cast<std::size_t>(&other - slots_.data()) / slots_each;
  if (known_.empty()) known_.resize(slots_.size() / slots_each);
  if (!known_[number]) known_[number].emplace(process);
  return !known_[number]->alive();
}

}  // namespace bowline::mpiio
