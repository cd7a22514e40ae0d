// SPDX-License-Identifier: BSD-3-Clause
// Slots: the shared memory of a team's members in one operation, as an algorithm sees it. Each member has a slot, a
// few bytes of inline data, and a flag that holds the step which the member has reached.
//
//   auto vacant = slots.vacancy();  // first: all members have completed the operation that used these slots before
//   co_await vacant;
//   channel.copy(data, slots.slot(rank));
//   slots.publish(1);
//   auto there = slots.reached(member, 1);
//   co_await there;  // what the member wrote before it published step 1 is readable now
//
// Longer data go through the slots in rounds, a piece each, which use the halves of the slots in sequence.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/atomic.hpp"
#include "base/task.hpp"
#include "base/wait.hpp"
#include "coll/slots/slot_memory.hpp"

namespace bowline::coll {

class Slots;

/// Awaiting a Reached (co_await) waits until a member has reached a step. Needs a named variable, like every Transfer.
class [[nodiscard]] Reached {
 public:
  /// `line`: the line of the word, if the word is a flag.
  Reached(Slots& slots, int member, const Atomic<std::uint64_t>& word, std::uint64_t value, const FlagLine* line,
          unsigned spins) noexcept
      : slots_(slots), line_(line), word_(word), value_(value), member_(member), spins_(spins) {}

  bool await_ready() const noexcept {
    for (unsigned spin = 0; !proto::Watch::reached(word_, value_); ++spin) {
      if (spin == spins_) return false;
      cpu_relax();
    }
    return true;
  }
  void await_suspend(std::coroutine_handle<> waiter);
  /// Throws Error if the member has failed, or has ended.
  void await_resume() const;

 private:
  Slots& slots_;
  const FlagLine* line_;
  const Atomic<std::uint64_t>& word_;
  std::uint64_t value_;
  int member_;
  unsigned spins_;
  std::optional<proto::Watch> watch_;  ///< made only if the wait is long
};

/// Awaiting a Vacancy (co_await) waits until the lines and slots are free. Needs a named variable, like every Transfer.
class [[nodiscard]] Vacancy {
 public:
  Vacancy(Slots& slots, Writes writes) noexcept : slots_(slots), writes_(writes) {}

  bool await_ready() const;
  Task::Handle await_suspend(std::coroutine_handle<> waiter);
  void await_resume() const {
    if (leaving_.has_value()) leaving_->await_resume();
  }

 private:
  Slots& slots_;
  Writes writes_;
  std::optional<Task> leaving_;  ///< waits for members that still use the lines and slots
};

/// One operation's lines and slots. Each member makes them in the order of the operations.
class Slots {
 public:
  /// `spins`: how often a wait polls before it suspends the coroutine. `nonblocking`: in no member a call waits for
  /// this operation alone.
  /// `call`: matches those of all members in a correct program; waiting for a member with another one throws Error
  /// (other).
  Slots(SlotMemory& memory, std::uint64_t number, CallId call, unsigned spins, bool nonblocking = false) noexcept
      : memory_(memory),
        lines_(memory.lines(number)),
        sequence_(number),
        call_(SlotMemory::call_bits_of(number, call)),
        spins_(spins),
        nonblocking_(nonblocking) {}
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() { memory_.end(sequence_); }

  int rank() const noexcept { return memory_.rank(); }
  std::size_t slot_bytes() const noexcept { return memory_.slot_bytes(); }
  const MemberGroups& groups() const noexcept { return memory_.groups(); }
  std::byte* slot(int member) const noexcept { return memory_.slot(sequence_, member); }
  std::byte* inline_data(int member) const noexcept { return line(member).inline_data; }

  void publish(std::uint64_t step) noexcept {
    if (compares_) tell_length(memory_.rank(), expected_);
    memory_.publish(sequence_, line(memory_.rank()), step, call_);
  }
  /// Publishes a step in the line of another member, which waits there (notified()): data, length and step arrive in
  /// one line.
  void notify(int member, std::uint64_t step) noexcept { memory_.publish(sequence_, line(member), step, call_); }
  /// Releases all members that wait for this member: this member cannot continue, or finds that others have more to do.
  void abandon() noexcept { publish(SlotMemory::abandoned_step); }
  /// Like abandon(), if others need data that this member has not written: a member that waits for its flag or its
  /// notification throws the error of this cause, and fails as well, because others may wait for it.
  void fail(Cause why = {}) noexcept;
  /// Like fail(), for a member that should have notified the others.
  void fail_notified(Cause why = {}) noexcept;
  /// Fails this member because `member` has failed.
  [[noreturn]] void fail_after(int member);
  /// Whether a member reached the awaited step only because it has abandoned the call.
  bool abandoned(int member) const noexcept {
    const std::uint64_t flag = line(member).flag.load(std::memory_order_relaxed);
    return flag == SlotMemory::flag_value(sequence_, SlotMemory::abandoned_step);
  }
  /// Publishes the length of this member's data, before its first step. Members that have seen that step may read it.
  void tell_bytes(std::size_t bytes) noexcept { tell_bytes(memory_.rank(), bytes); }
  /// Publishes the length of a member's data on behalf of that member, which does not do so itself.
  void tell_bytes(int member, std::size_t bytes) noexcept {
    compare_nothing();
    tell_length(member, bytes);
  }
  std::size_t bytes_of(int member) const noexcept { return told(member) & longest; }
  /// From now on every flag of this member comes with this length, and waiting for a flag throws Error (truncate) if
  /// the other member published another length. To be called before the algorithm starts; an algorithm that publishes
  /// lengths itself switches it off.
  void compare_bytes(std::size_t bytes) noexcept {
    expected_ = bytes;
    compares_ = true;
  }
  void compare_nothing() noexcept { compares_ = false; }
  Reached reached(int member, std::uint64_t step) noexcept {
    const FlagLine& theirs = line(member);
    return {*this, member, theirs.flag, SlotMemory::flag_value(sequence_, step), &theirs, spins_};
  }
  /// Whether that member has reached the step, or reaches it within `spins` polls: reached() without a coroutine.
  bool has_reached(int member, std::uint64_t step) {
    const FlagLine& theirs = line(member);
    if (!shows(theirs, step)) return false;
    accept(theirs, member);
    return true;
  }
  /// Whether that member has notified this one of the step, or does so within `spins` polls: notified() without a
  /// coroutine.
  bool was_notified(int member, std::uint64_t step) {
    const FlagLine& own = line(memory_.rank());
    if (!shows(own, step)) return false;
    accept(own, member);
    return true;
  }
  /// Waits until that member has notified this one of the step.
  Reached notified(int member, std::uint64_t step) noexcept {
    const FlagLine& own = line(memory_.rank());
    return {*this, member, own.flag, SlotMemory::flag_value(sequence_, step), &own, spins_};
  }
  /// Waits for a word of inline data. The other member increments it and then calls wake().
  Reached counted(int member, const Atomic<std::uint64_t>& word, std::uint64_t value) noexcept {
    return {*this, member, word, value, nullptr, spins_};
  }
  void wake() noexcept { memory_.wake_sleepers(); }

  /// This member begins the operation.
  void begin() noexcept { memory_.begin(sequence_); }
  /// This member begins the operation with a plan. It follows the plan only if meet() finds that all have it.
  void begin_with_plan(std::uint32_t plan) noexcept { memory_.begin_with_plan(sequence_, plan); }
  /// Waits until all members have begun the operation. `agreed`: set to whether all have this plan for it.
  Task meet(std::uint32_t plan, bool& agreed);
  /// Waits until that member has begun the operation.
  Reached begun_by(int member) noexcept {
    return {*this, member, memory_.begun(member), sequence_ + 1, nullptr, spins_};
  }
  /// Whether that member, which has begun the operation, has this plan for it.
  bool planned_by(int member, std::uint32_t plan) const noexcept { return memory_.plans(member, sequence_, plan); }
  /// Whether members may read and write each other's memory: read(), write().
  bool readable() const noexcept { return memory_.readable(); }
  /// What this member's copies have cost in the team's operations; nullptr if no memory is left.
  CopyCosts* copy_costs() const noexcept { return memory_.copy_costs(); }
  /// Whether progress threads execute the operation. Long data should then take few rounds, because a progress thread
  /// notices a flag later than a call that waits for this operation alone. Members may then read and write each other's
  /// memory. All members get the same answer.
  bool async_progress() const noexcept { return nonblocking_ && memory_.async_progress(); }
  /// Copies from an address of the member to memory of this process. Throws Error if it cannot be read.
  void read(int member, const std::byte* theirs, std::span<std::byte> mine);
  /// The opposite direction. Throws Error if the member's memory cannot be written.
  void write(int member, std::span<const std::byte> mine, std::byte* theirs);

  /// Waits until lines and slots are free for this operation, and allocates pages for what this member writes; Error
  /// (no_mem) if there is no memory. A member that writes nothing but inline data waits less often, because there are
  /// more sets of lines than of slots.
  Vacancy vacancy(Writes writes = Writes::own_slot) noexcept { return {*this, writes}; }
  bool vacant(Writes writes = Writes::own_slot) {
    if (!memory_.vacant(sequence_, sets(writes))) return false;
    if (!memory_.backed(sequence_, writes)) [[unlikely]]
      back(writes);
    return true;
  }

 private:
  std::uint64_t sets(Writes writes) const noexcept {
    return writes == Writes::inline_data ? memory_.line_sets() : SlotMemory::slot_sets;
  }

  friend class Reached;
  friend class Vacancy;
  FlagLine& line(int member) const noexcept { return lines_[member]; }
  bool shows(const FlagLine& flags, std::uint64_t step) const noexcept {
    const std::uint64_t value = SlotMemory::flag_value(sequence_, step);
    for (unsigned spin = 0; !proto::Watch::reached(flags.flag, value); ++spin) {
      if (spin == spins_) return false;
      cpu_relax();
    }
    return true;
  }
  /// Reads what the member has published with the flag in this line: its own line, or the line of the member that it
  /// has notified.
  void accept(const FlagLine& flags, int member) {
    if (const std::uint64_t call = memory_.seen(flags, member); call != call_) [[unlikely]]
      compare_call(member, call);
    if (compares_) compare(member);
    if (tells_failure(flags)) [[unlikely]]
      fail_after(member, flags);
  }
  std::uint64_t step_of(const FlagLine& flags) const noexcept {
    return flags.flag.load(std::memory_order_relaxed) - SlotMemory::flag_value(sequence_, 0);
  }
  bool tells_failure(const FlagLine& flags) const noexcept {
    return step_of(flags) - SlotMemory::first_failure < Cause::count;
  }
  void compare_call(int member, std::uint64_t theirs);
  [[noreturn]] void fail_after(int member, const FlagLine& flags);
  [[noreturn]] void fail_without(const Error& loss);
  Task leave(Writes writes);
  void back(Writes writes);
  // A length is stored with the operation's number, because a slow member may see the length of a later operation.
  static constexpr int length_bits = 48;
  static constexpr std::uint64_t longest = (std::uint64_t{1} << length_bits) - 1;
  std::uint64_t length_word(std::size_t bytes) const noexcept { return ((sequence_ + 1) << length_bits) | bytes; }
  void tell_length(int member, std::size_t bytes) noexcept {
    line(member).bytes.store(length_word(bytes), std::memory_order_relaxed);
  }
  std::uint64_t told(int member) const noexcept { return line(member).bytes.load(std::memory_order_relaxed); }
  void compare(int member) {
    if (told(member) != length_word(expected_)) [[unlikely]]
      refuse_length(member);
  }
  void refuse_length(int member);

  SlotMemory& memory_;
  FlagLine* lines_;  ///< of the operation
  std::uint64_t sequence_;
  std::size_t expected_ = 0;
  std::uint64_t call_;
  unsigned spins_;
  bool nonblocking_;
  bool compares_ = false;
};

inline bool Vacancy::await_ready() const {
  return slots_.vacant(writes_);
}

inline void Reached::await_suspend(std::coroutine_handle<> waiter) {
  watch_.emplace(word_, value_, slots_.memory_.notice()).waiter = waiter;
  slots_.memory_.host().watch(*watch_, member_);
}

inline void Reached::await_resume() const {
  if (watch_.has_value() && watch_->failure != nullptr) [[unlikely]]
    slots_.fail_without(*watch_->failure);
  if (line_ != nullptr) slots_.accept(*line_, member_);
}

}  // namespace bowline::coll
