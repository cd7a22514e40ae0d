// SPDX-License-Identifier: BSD-3-Clause
// Slots: what an algorithm sees of the memory that the members of a team share, in one operation. Each member has a
// slot, a note for a few bytes, and a flag by which it tells how far it is.
//
//   while (!slots.vacant()) {              before anything else: everybody has left what was here before
//     auto left = slots.left();
//     co_await left;
//   }
//   channel.copy(data, slots.slot(rank));
//   slots.publish(1);
//   auto there = slots.reached(member, 1); what the member wrote before it published step 1 may be read now
//   co_await there;
//
// Longer data go through the slots in rounds, a piece each, which use the halves of the slots in turn.
//
// Members whose lengths differ would wait for rounds that never come. Therefore each tells its length beside its flag,
// and who waits for the flag compares (coll/lengths.hpp).
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/wait.hpp"
#include "coll/arguments.hpp"
#include "coll/slot_memory.hpp"

namespace bowline::coll {

class Slots;

/// co_await it to wait until a member has come as far. A named variable, as every Transfer.
class [[nodiscard]] Reached {
 public:
  Reached(Slots& slots, SlotMemory& memory, int member, const std::atomic<std::uint64_t>& word, std::uint64_t value,
          const FlagLine* line, unsigned spins) noexcept
      : slots_(slots),
        memory_(memory),
        line_(line),
        member_(member),
        spins_(spins),
        watch_(word, value, memory.notice()) {}

  bool await_ready() const noexcept {
    for (unsigned spin = 0; !watch_.reached(); ++spin) {
      if (spin == spins_) return false;
      cpu_relax();
    }
    return true;
  }
  void await_suspend(std::coroutine_handle<> waiter) noexcept {
    watch_.waiter = waiter;
    memory_.watcher().watch(watch_);
  }
  /// Throws Error (truncate) if the member's length is not what this one expects.
  void await_resume() const;

 private:
  Slots& slots_;
  SlotMemory& memory_;
  const FlagLine* line_;
  int member_;
  unsigned spins_;
  proto::Watch watch_;
};

/// One operation's turn. Made by each member in the order of the operations.
class Slots {
 public:
  /// `spins`: how often a wait looks before it suspends the coroutine.
  Slots(SlotMemory& memory, std::uint64_t number, unsigned spins) noexcept
      : memory_(memory), number_(number), spins_(spins) {}
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() { memory_.end(number_); }

  std::size_t slot_bytes() const noexcept { return memory_.slot_bytes(); }
  std::byte* slot(int member) const noexcept { return memory_.slot(number_, member); }
  std::byte* note(int member) const noexcept { return memory_.line(number_, member).note; }

  void publish(std::uint64_t step) noexcept {
    tell_length(memory_.rank(), told_);
    if (divides_) [[unlikely]]
      tell_blocks();
    memory_.publish(number_, step);
  }
  /// Nobody has to wait for this member any more: it cannot go on.
  void give_up() noexcept { publish((std::uint64_t{1} << SlotMemory::step_bits) - 1); }
  /// To be told before the first step, for those who have seen it.
  void tell_bytes(std::size_t bytes) noexcept { told_ = bytes; }
  std::size_t bytes_of(int member) const noexcept {
    return memory_.line(number_, member).bytes.load(std::memory_order_relaxed) & longest;
  }

  /// From now on who waits for a member compares lengths: all must tell as much as this member expects,
  void expect_bytes(std::size_t bytes) noexcept {
    expects_ = Expects::the_same;
    expected_ = bytes;
  }
  /// or each as much as its block here holds,
  void expect_blocks(const Blocks& blocks) noexcept {
    expects_ = Expects::blocks;
    blocks_ = blocks;
  }
  /// or the owner of all blocks must say with its first flag that the one for this member holds as much.
  void expect_own(std::size_t bytes) noexcept {
    expects_ = Expects::own;
    expected_ = bytes;
  }
  /// This member is that owner. It publishes first when the turn is vacant.
  void divide(const Blocks& blocks) noexcept {
    expect_blocks(blocks);
    divides_ = true;
  }
  Reached reached(int member, std::uint64_t step) noexcept {
    const FlagLine& line = memory_.line(number_, member);
    return {*this, memory_, member, line.flag, SlotMemory::flag_value(number_, step), &line, spins_};
  }
  /// Whether members may read each other's memory: read().
  bool readable() const noexcept { return memory_.readable(); }
  /// Copies from an address of the member to memory of this process. Throws Error if it cannot be read.
  void read(int member, const std::byte* theirs, std::span<std::byte> mine);

  /// Whether the turn is free for this operation; if not, left() waits for one of those who are still in it.
  bool vacant() noexcept { return memory_.vacant(number_); }
  Reached left() noexcept {
    const int member = memory_.last_in(number_);
    return {*this, memory_, member, memory_.through(member), number_ - SlotMemory::turns + 1, nullptr, spins_};
  }

 private:
  friend class Reached;
  enum class Expects : std::uint8_t { anything, the_same, blocks, own };

  // A length stands in the line with the operation's number, because who lags behind may see that of the next one.
  static constexpr std::uint64_t longest = (std::uint64_t{1} << 48) - 1;
  std::uint64_t length_word(std::size_t bytes) const noexcept { return ((number_ + 1) << 48) | bytes; }
  void tell_length(int member, std::size_t bytes) noexcept {
    memory_.line(number_, member).bytes.store(length_word(bytes), std::memory_order_relaxed);
  }
  void tell_blocks() noexcept;

  /// The member's flag was seen.
  void compare_length(int member) {
    if (expects_ == Expects::anything) return;
    const std::size_t expected = expects_ == Expects::blocks ? blocks_[member].size() : expected_;
    const int teller = expects_ == Expects::own ? memory_.rank() : member;
    const std::uint64_t word = memory_.line(number_, teller).bytes.load(std::memory_order_relaxed);
    if (word != length_word(expected)) [[unlikely]]
      refuse_length(member, word, expected);
  }
  void refuse_length(int member, std::uint64_t word, std::size_t expected);

  SlotMemory& memory_;
  std::uint64_t number_;
  unsigned spins_;
  Expects expects_ = Expects::anything;
  bool divides_ = false;
  std::size_t told_ = 0;
  std::size_t expected_ = 0;
  Blocks blocks_;
};

inline void Reached::await_resume() const {
  if (line_ == nullptr) return;
  memory_.seen(*line_, member_);
  slots_.compare_length(member_);
}

}  // namespace bowline::coll
