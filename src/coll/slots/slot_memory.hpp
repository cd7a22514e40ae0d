// SPDX-License-Identifier: BSD-3-Clause
// SlotMemory: memory that all members of a team share, who therefore run on one node. One after the other it holds:
//
// - a header: a number that proves which memory this is, who sleeps, and, in one line per member, how many operations
//   each is through with;
// - for each turn, one line per member: its flag, and a few bytes, its note;
// - for each turn, one slot per member.
//
// Operations take turns: number n uses the lines of turn n % turns(), and the slots of n % slot_turns. There are many
// lines, so that members of rows of short operations, which need no more, run far ahead of others: where ranks share
// cores each then does many of them before the core goes to the next. A member writes its own lines and slots only, but
// those that an algorithm says somebody else writes. It may write those of a turn when every member is through with the
// operation that had the turn before: `through` counts the operations from the first on that a member has ended without
// a gap.
// Flags need no such care, because they only grow: they hold the operation's number and a step in it.
//
// Slots have no memory behind them until a member is about to write to them: the whole is long, and many communicators
// never need more than notes. Who writes them first gets the pages, and so from the NUMA node it runs on.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "node/peer_memory.hpp"
#include "proto/watch.hpp"

namespace bowline::coll {

/// What a member does for its memory: waits for flags, wakes who waits for its own, and gets pages.
class SlotHost {
 public:
  /// `member`: who moves the word on.
  virtual void watch(proto::Watch& watch, int member) = 0;
  virtual void wake(int member) noexcept = 0;
  /// Backs a part of the memory, which may be backed already. Throws Error (no_mem) if it cannot.
  virtual void back(std::span<std::byte> part) = 0;

 protected:
  ~SlotHost() = default;
};

/// Where a member writes in an operation, but for flags and lengths: each includes those before it.
enum class Writes : std::uint8_t { nothing, notes, own_slot, all_slots };

/// One member's flag in one turn.
struct alignas(64) FlagLine {
  static constexpr std::size_t note_bytes = 40;

  std::byte note[note_bytes];  ///< first: as strictly aligned as any type needs
  std::atomic<std::uint64_t> flag;
  std::atomic<std::uint64_t> through;  ///< what the member's count was when it published the flag
  std::atomic<std::uint64_t> bytes;    ///< how much it has, where an algorithm tells
};
static_assert(sizeof(FlagLine) == 64);

class SlotMemory {
 public:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::uint64_t most_turns = 256;
  static constexpr std::uint64_t slot_turns = 4;
  static constexpr int step_bits = 24;
  static constexpr int max_members = 256;

  // Steps that tell of a failure stand behind all others.
  static constexpr std::uint64_t gave_up_step = (std::uint64_t{1} << step_bits) - 1;
  static constexpr std::uint64_t failures = std::uint64_t{1} << 16;
  static constexpr std::uint64_t first_failure = gave_up_step - failures;
  /// The step of a member that cannot go on because this process has ended; negative: for another reason.
  static constexpr std::uint64_t failed_step(int lost) noexcept {
    const auto told = static_cast<std::uint64_t>(lost + 1);
    return first_failure + (told < failures ? told : 0);
  }
  /// The other way round.
  static constexpr int lost_of(std::uint64_t failed) noexcept { return static_cast<int>(failed - first_failure) - 1; }

  /// Bytes of the memory for this many members with slots of `slot_bytes`, a multiple of the page size.
  static std::size_t bytes_for(int members, std::size_t slot_bytes) noexcept;
  /// How many of them, from the first on, must be backed before anybody takes part.
  static std::size_t bytes_before_slots(int members) noexcept;

  /// At the beginning of the memory, for whoever made it to tell the others.
  struct Header {
    std::uint64_t secret;  ///< of the memory's ticket: node::Segment::offer() writes it
    std::atomic<std::uint32_t> sleepers;
  };

  /// Takes part as member `rank`. The memory was all zero when the first member came to it, and outlives the object.
  SlotMemory(std::span<std::byte> memory, int rank, int members, std::size_t slot_bytes, SlotHost& host);

  int rank() const noexcept { return rank_; }
  int members() const noexcept { return members_; }
  std::size_t slot_bytes() const noexcept { return slot_bytes_; }

  /// For few members so many that a row of them takes much longer than the change of process at its end.
  static constexpr std::uint64_t turns_for(int members) noexcept { return members <= 16 ? most_turns : 64; }
  std::uint64_t turns() const noexcept { return turns_; }

  /// The lines of an operation's turn, by member.
  FlagLine* lines(std::uint64_t number) const noexcept {
    return lines_ + (number & (turns_ - 1)) * static_cast<std::uint64_t>(members_);
  }
  std::byte* slot(std::uint64_t number, int member) const noexcept {
    const std::uint64_t index = number % slot_turns * static_cast<std::uint64_t>(members_);
    return slots_ + (index + static_cast<std::uint64_t>(member)) * slot_bytes_;
  }

  static std::uint64_t flag_value(std::uint64_t number, std::uint64_t step) noexcept {
    return ((number + 1) << step_bits) + step;
  }
  /// In a line of that turn: this member's own, or one that only this member writes until it has done so.
  void publish(std::uint64_t number, FlagLine& told, std::uint64_t step) noexcept {
    told.through.store(ended_, std::memory_order_relaxed);
    told.flag.store(flag_value(number, step), std::memory_order_release);
    __builtin_prefetch(later(number, told), 1);
    wake_sleepers();
  }
  /// What the member has published was seen there.
  void seen(const FlagLine& line, int member) noexcept {
    known_[static_cast<std::size_t>(member)] = line.through.load(std::memory_order_relaxed);
  }

  /// A flag was there when this member came to look for it, or was not. After many that were the others are far ahead,
  /// in a row of operations in which data go one way, and flags that they have raised can be fetched early. Fetching
  /// one that is still to be raised would take the line from its writer.
  void found(std::uint64_t number, const FlagLine& line) noexcept {
    if (++found_ > lines_ahead) __builtin_prefetch(later(number, line));
  }
  void missed() noexcept { found_ = 0; }

  /// Whether all members are through with the operation that is `before` (turns(), or slot_turns) before this one.
  bool vacant(std::uint64_t number, std::uint64_t before) noexcept {
    return number < all_ended_ + before || look_for_vacancy(number, before);
  }
  /// Whether there is memory behind what the member writes in this operation's turn.
  bool backed(std::uint64_t number, Writes writes) const noexcept { return writes <= backed_[number % slot_turns]; }
  /// Sees to that. Throws Error (no_mem) if there is none left.
  void back(std::uint64_t number, Writes writes);

  const std::atomic<std::uint64_t>& through(int member) const noexcept { return through_[member].count; }

  /// Says which process this member is, for those who read its memory.
  void tell_process();
  const node::ProcessMark& process(int member) const noexcept { return through_[member].process; }

  /// One that is not; this member itself if all are.
  int last_in(std::uint64_t number, std::uint64_t before) const noexcept;

  /// This member is through with the operation.
  void end(std::uint64_t number) noexcept {
    if (number != ended_) [[unlikely]] {
      // No member ends an operation that is turns() or more beyond its first gap: the turn was not vacant.
      ended_beyond_.set(number % most_turns);
    } else {
      for (++ended_; ended_beyond_[ended_ % most_turns]; ++ended_) ended_beyond_.reset(ended_ % most_turns);
    }
    through_[rank_].count.store(ended_, std::memory_order_release);
    wake_sleepers();
  }

  /// Whether all members may read and write each other's memory.
  bool readable() const noexcept { return readable_; }
  void set_readable(bool readable) noexcept { readable_ = readable; }
  /// Whether they may, and each has a progress thread.
  bool async_progress() const noexcept { return async_progress_; }
  void set_async_progress(bool progress) noexcept { async_progress_ = progress; }

  /// After a word has changed that others may wait for. The other half of the fence is the sleeper's membarrier: see
  /// shm/doorbell.hpp.
  void wake_sleepers() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (sleepers_->load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake_each();
  }

  proto::SleepNotice notice() const noexcept { return {&asleep_[rank_], sleepers_}; }
  SlotHost& host() const noexcept { return *host_; }

 private:
  struct alignas(64) ThroughLine {
    std::atomic<std::uint64_t> count;
    node::ProcessMark process;  ///< written before the members agree to use the memory
  };

  /// Lines are fetched for the operation that comes so many after this one: as long before it as it takes.
  static constexpr std::uint64_t lines_ahead = 16;
  const FlagLine* later(std::uint64_t number, const FlagLine& line) const noexcept {
    return &line + (lines(number + lines_ahead) - lines(number));
  }

  void wake_each() noexcept;
  bool look_for_vacancy(std::uint64_t number, std::uint64_t before) noexcept;

  FlagLine* lines_;
  std::byte* slots_;
  ThroughLine* through_;
  std::atomic<std::uint32_t>* sleepers_;
  std::atomic<std::uint32_t>* asleep_;
  SlotHost* host_;
  int rank_;
  int members_;
  std::uint64_t turns_;
  std::size_t slot_bytes_;
  bool readable_ = false;
  bool async_progress_ = false;
  std::uint64_t found_ = 0;               ///< flags that were there, since one was not
  std::uint64_t all_ended_ = 0;           ///< operations that all members are known to be through with
  std::uint64_t ended_ = 0;               ///< operations from the first on that this member is through with
  std::bitset<most_turns> ended_beyond_;  ///< a bit for each that follows them, in the place of its turn
  std::array<Writes, slot_turns> backed_{};
  std::unique_ptr<std::uint64_t[]> known_;  ///< what each member is known to be through with
};

}  // namespace bowline::coll
