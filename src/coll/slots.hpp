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
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/wait.hpp"
#include "coll/slot_memory.hpp"

namespace bowline::coll {

class Slots;

/// co_await it to wait until a member has come as far. A named variable, as every Transfer.
class [[nodiscard]] Reached {
 public:
  /// `comparing`: compares what the member has told with its flag; nullptr: nobody does.
  Reached(SlotMemory& memory, int member, const std::atomic<std::uint64_t>& word, std::uint64_t value,
          const FlagLine* line, unsigned spins, Slots* comparing = nullptr) noexcept
      : memory_(memory),
        line_(line),
        comparing_(comparing),
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
  void await_resume() const;

 private:
  SlotMemory& memory_;
  const FlagLine* line_;
  Slots* comparing_;
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
    if (compares_) tell_length(memory_.rank(), expected_);
    memory_.publish(number_, step);
  }
  /// Nobody has to wait for this member any more: it cannot go on.
  void give_up() noexcept { publish(gave_up_step); }
  /// Of a member that has been waited for: whether it came so far only by giving up.
  bool gave_up(int member) const noexcept {
    const std::uint64_t flag = memory_.line(number_, member).flag.load(std::memory_order_relaxed);
    return flag == SlotMemory::flag_value(number_, gave_up_step);
  }
  /// To be told before the first step, for those who have seen it.
  void tell_bytes(std::size_t bytes) noexcept { tell_bytes(memory_.rank(), bytes); }
  /// The same on behalf of a member that does not tell it itself.
  void tell_bytes(int member, std::size_t bytes) noexcept {
    compare_nothing();
    tell_length(member, bytes);
  }
  std::size_t bytes_of(int member) const noexcept { return told(member) & longest; }
  /// From now on every flag of this member tells this length, and waiting for a flag throws Error (truncate) if the
  /// other member tells another one. Done before the algorithm begins; one that tells lengths itself ends it.
  void compare_bytes(std::size_t bytes) noexcept {
    expected_ = bytes;
    compares_ = true;
  }
  void compare_nothing() noexcept { compares_ = false; }
  Reached reached(int member, std::uint64_t step) noexcept {
    const FlagLine& line = memory_.line(number_, member);
    return {
        memory_, member, line.flag, SlotMemory::flag_value(number_, step), &line, spins_, compares_ ? this : nullptr};
  }
  /// A word of a note, which another member counts up and then calls wake().
  Reached counted(int member, const std::atomic<std::uint64_t>& word, std::uint64_t value) noexcept {
    return {memory_, member, word, value, nullptr, spins_};
  }
  void wake() noexcept { memory_.wake_sleepers(); }
  /// Whether members may read and write each other's memory: read(), write().
  bool readable() const noexcept { return memory_.readable(); }
  /// Copies from an address of the member to memory of this process. Throws Error if it cannot be read.
  void read(int member, const std::byte* theirs, std::span<std::byte> mine);
  /// The other way. Throws Error if it cannot be written.
  void write(int member, std::span<const std::byte> mine, std::byte* theirs);

  /// Whether the turn is free for this operation; if not, left() waits for one of those who are still in it. Operations
  /// that write to notes only, in all members, say so, and need not wait so soon.
  bool vacant(bool notes_only = false) noexcept { return memory_.vacant(number_, turns(notes_only)); }
  Reached left(bool notes_only = false) noexcept {
    const int member = memory_.last_in(number_, turns(notes_only));
    // Not for one turn alone, where there are many: then the next ones are free as well, and nobody looks each time.
    const std::uint64_t turn = number_ - turns(notes_only) + (notes_only ? SlotMemory::turns / 4 : 1);
    return {memory_, member, memory_.through(member), turn, nullptr, spins_};
  }

 private:
  static constexpr std::uint64_t gave_up_step = (std::uint64_t{1} << SlotMemory::step_bits) - 1;
  static constexpr std::uint64_t turns(bool notes_only) noexcept {
    return notes_only ? SlotMemory::turns : SlotMemory::slot_turns;
  }

  friend class Reached;
  // A length stands in the line with the operation's number, because who lags behind may see that of a later one.
  static constexpr int length_bits = 48;
  static constexpr std::uint64_t longest = (std::uint64_t{1} << length_bits) - 1;
  std::uint64_t length_word(std::size_t bytes) const noexcept { return ((number_ + 1) << length_bits) | bytes; }
  void tell_length(int member, std::size_t bytes) noexcept {
    memory_.line(number_, member).bytes.store(length_word(bytes), std::memory_order_relaxed);
  }
  std::uint64_t told(int member) const noexcept {
    return memory_.line(number_, member).bytes.load(std::memory_order_relaxed);
  }
  void compare(int member) {
    if (told(member) != length_word(expected_)) [[unlikely]]
      refuse_length(member);
  }
  void refuse_length(int member);

  SlotMemory& memory_;
  std::uint64_t number_;
  std::size_t expected_ = 0;
  unsigned spins_;
  bool compares_ = false;
};

inline void Reached::await_resume() const {
  if (line_ == nullptr) return;
  memory_.seen(*line_, member_);
  if (comparing_ != nullptr) comparing_->compare(member_);
}

}  // namespace bowline::coll
