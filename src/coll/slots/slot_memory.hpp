// SPDX-License-Identifier: BSD-3-Clause
// SlotMemory: memory that all members of a team share; they run on one node. It holds, one after the other:
//
// - a header: a number that identifies the memory, which members sleep, and, in two lines per member, how many
//   operations the member has completed and begun;
// - for each set of lines, one line per member: its flag and a few bytes of inline data;
// - for each set of slots, one slot per member.
//
// Members number their operations alike. The operation with sequence number n uses the lines of set n % line_sets() and
// the slots of set n % slot_sets. There are many sets of lines, so that in rows of short operations, which need lines
// only, a member can run far ahead of others:
// ranks that share a core then complete many operations between two context switches. A member writes its own lines and
// slots only, except those that an algorithm assigns to another writer. It may write those of a set when every member
// has completed the operation that used the set before: `completed` counts a member's completed operations, up to the
// first gap. Flags may always be written, because they only grow: they hold the operation's number and a step in it.
//
// Slots have no pages until a member is about to write to them: all slots together are long, and many communicators
// never need more than inline data. The first writer allocates the pages, so they come from its NUMA node.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "base/atomic.hpp"
#include "coll/channel/call_id.hpp"
#include "coll/slots/cause.hpp"
#include "coll/slots/copy_costs.hpp"
#include "coll/slots/member_groups.hpp"
#include "node/peer_memory.hpp"
#include "proto/watch.hpp"

namespace bowline::coll {

/// The services that a member provides for the memory: it waits for flags, wakes members that wait for its own flags,
/// and allocates pages.
class SlotHost {
 public:
  /// `member`: the member that will advance the word.
  virtual void watch(proto::Watch& watch, int member) = 0;
  virtual void wake(int member) noexcept = 0;
  /// Allocates pages for a part of the memory, which may have some already. Throws Error (no_mem) if it cannot.
  virtual void back(std::span<std::byte> part) = 0;

 protected:
  ~SlotHost() = default;
};

/// Where a member writes in an operation, besides flags and lengths. Each value includes the values before it.
enum class Writes : std::uint8_t { nothing, inline_data, own_slot, all_slots };

/// One member's flag in one operation.
struct alignas(64) FlagLine {
  static constexpr std::size_t inline_bytes = 40;

  std::byte inline_data[inline_bytes];  ///< first: aligned for any type
  Atomic<std::uint64_t> flag;
  Atomic<std::uint64_t> told;   ///< what comes with the flag: SlotMemory::publish()
  Atomic<std::uint64_t> bytes;  ///< length of the member's data, if the algorithm publishes it
};
static_assert(sizeof(FlagLine) == 64);

class SlotMemory {
 public:
  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::uint64_t most_line_sets = 256;
  static constexpr std::uint64_t least_line_sets = 64;
  static constexpr std::uint64_t slot_sets = 4;
  static constexpr int step_bits = 24;
  static constexpr int max_members = 512;

  // Steps that report a failure are greater than all others.
  static constexpr std::uint64_t abandoned_step = (std::uint64_t{1} << step_bits) - 1;
  static constexpr std::uint64_t first_failure = abandoned_step - Cause::count;
  /// The step of a member that has failed.
  static constexpr std::uint64_t failed_step(Cause why) noexcept { return first_failure + why.number(); }
  /// The inverse of failed_step().
  static constexpr Cause cause_of(std::uint64_t failed) noexcept { return Cause(failed - first_failure); }

  /// Bytes of the memory for this many members with slots of `slot_bytes`, a multiple of the page size.
  static std::size_t bytes_for(int members, std::size_t slot_bytes) noexcept;
  /// The number of leading bytes that must have pages before any member uses the memory.
  static std::size_t bytes_before_slots(int members) noexcept;

  /// At the beginning of the memory; its maker passes `secret` to the others.
  struct Header {
    std::uint64_t secret;  ///< the secret in the memory's ticket; node::Segment::offer() writes it
    Atomic<std::uint32_t> sleepers;
    std::uint32_t members;
  };

  /// Whether no member of a team of this size uses the memory any more: all have completed as many operations as member
  /// 0 has begun, and none is about to sleep or awake. To be called in the process of member 0, after its last
  /// operation.
  static bool is_free(std::span<std::byte> memory) noexcept;

  /// Joins as member `rank`. The leading bytes (bytes_before_slots()) were zero, but for the secret, when the first
  /// member joined. The memory must outlive the object.
  SlotMemory(std::span<std::byte> memory, int rank, int members, std::size_t slot_bytes, SlotHost& host);

  int rank() const noexcept { return rank_; }
  int members() const noexcept { return members_; }
  /// By rank, until divide() is called.
  const MemberGroups& groups() const noexcept { return groups_; }
  /// `caches`: for each member, as MemberGroups takes them; equal in all members.
  void divide(std::span<const int> caches) noexcept { groups_.divide(caches); }
  std::size_t slot_bytes() const noexcept { return slot_bytes_; }

  /// The number of sets of lines. With few members, operations in all sets take much longer than the context switch
  /// that follows them.
  static constexpr std::uint64_t line_sets_for(int members) noexcept {
    return members <= 16 ? most_line_sets : least_line_sets;
  }
  std::uint64_t line_sets() const noexcept { return line_sets_; }

  /// The lines of an operation, by member.
  FlagLine* lines(std::uint64_t number) const noexcept {
    return lines_ + (number & (line_sets_ - 1)) * static_cast<std::uint64_t>(members_);
  }
  std::byte* slot(std::uint64_t number, int member) const noexcept {
    const std::uint64_t index = number % slot_sets * static_cast<std::uint64_t>(members_);
    return slots_ + (index + static_cast<std::uint64_t>(member)) * slot_bytes_;
  }

  static std::uint64_t flag_value(std::uint64_t number, std::uint64_t step) noexcept {
    return ((number + 1) << step_bits) + step;
  }
  /// Publishes a step in a line of that operation: this member's own, or one that no other member writes before this
  /// call. `call`: call_bits_of() this operation.
  void publish(std::uint64_t number, FlagLine& line, std::uint64_t step, std::uint64_t call) noexcept {
    // Released for itself, because a member that acquires the flag may find the count of a later operation.
    line.told.store(ended_ << call_bits | call, std::memory_order_release);
    line.flag.store(flag_value(number, step), std::memory_order_release);
    wake_sleepers();
  }
  /// Notes what `member` has published in the line, and returns the bits of its call. The bits of a later operation,
  /// which that member may have begun meanwhile, differ in the lap.
  std::uint64_t seen(const FlagLine& line, int member) noexcept {
    const std::uint64_t told = line.told.load(std::memory_order_acquire);
    known_[static_cast<std::size_t>(member)] = told >> call_bits;
    return told & ((std::uint64_t{1} << call_bits) - 1);
  }

  // With a flag a member publishes how many operations it has completed, in the upper bits, and its call: a few bits of
  // the operation's number, above those that choose the set (the lap), and the CallId.
  static constexpr int lap_bits = 4;
  static constexpr int call_bits = lap_bits + CallId::bits;
  static constexpr std::uint64_t call_bits_of(std::uint64_t number, CallId call) noexcept {
    const std::uint64_t lap = number / least_line_sets % (1U << lap_bits);
    return lap << CallId::bits | call.value();
  }
  static constexpr CallId call_of(std::uint64_t bits) noexcept {
    return CallId(bits & ((std::uint64_t{1} << CallId::bits) - 1));
  }
  static constexpr bool same_lap(std::uint64_t a, std::uint64_t b) noexcept {
    return a >> CallId::bits == b >> CallId::bits;
  }

  /// Whether all members have completed the operation with the number `number - before`; `before` is line_sets() or
  /// slot_sets.
  bool vacant(std::uint64_t number, std::uint64_t before) noexcept {
    return number < all_ended_ + before || look_for_vacancy(number, before);
  }
  /// Whether the places that the member writes in this operation have pages.
  bool backed(std::uint64_t number, Writes writes) const noexcept { return writes <= backed_[number % slot_sets]; }
  /// Allocates the pages of the places that the member writes in this operation. Throws Error (no_mem) if no memory is
  /// left.
  void back(std::uint64_t number, Writes writes);

  const Atomic<std::uint64_t>& completed(int member) const noexcept { return completed_[member].count; }
  /// Whether the member has completed an operation although this flag of it has not reached `value`; false if the word
  /// is no flag.
  bool completed_without(int member, const Atomic<std::uint64_t>& word, std::uint64_t value) const noexcept;

  /// This member has begun the operation. Operations that were pending while the memory was made may begin in any
  /// order.
  void begin(std::uint64_t number) noexcept {
    if (number < begun_) [[unlikely]]
      return;
    begun_ = number + 1;
    completed_[rank_].begun.store(begun_, std::memory_order_release);
    wake_sleepers();
  }
  /// One more than the number of the last operation that the member has begun.
  const Atomic<std::uint64_t>& begun(int member) const noexcept { return completed_[member].begun; }
  /// Like begin(), with a plan for the operation that this member follows only if all members have the same plan. The
  /// member then waits until all have begun the operation. `plan`: below 2^plan_bits.
  void begin_with_plan(std::uint64_t number, std::uint32_t plan) noexcept {
    // When this member has seen that all have begun this operation, all have seen the plan for the operation before.
    completed_[rank_].plans[++plans_ % 2].store(plan_value(number, plan), std::memory_order_relaxed);
    begin(number);
  }
  /// Whether a member that has begun the operation has this plan for it.
  bool plans(int member, std::uint64_t number, std::uint32_t plan) const noexcept {
    const auto& plans = completed_[member].plans;
    const std::uint64_t value = plan_value(number, plan);
    return plans[0].load(std::memory_order_relaxed) == value || plans[1].load(std::memory_order_relaxed) == value;
  }
  static constexpr int plan_bits = 24;

  /// Publishes which process this member is, for members that read its memory.
  void tell_process();
  const node::ProcessMark& process(int member) const noexcept { return completed_[member].process; }

  /// A member that has not completed that operation; this member itself if all have.
  int last_in(std::uint64_t number, std::uint64_t before) const noexcept;

  /// Whether this member has completed `count` operations, and no later one has begun.
  bool has_completed(std::uint64_t count) const noexcept { return ended_ == count && ended_beyond_.none(); }
  /// This member has completed the operation.
  void end(std::uint64_t number) noexcept {
    if (number != ended_) [[unlikely]] {
      // No member completes an operation line_sets() or more beyond its first gap, because its lines were not vacant.
      ended_beyond_.set(number % most_line_sets);
    } else {
      for (++ended_; ended_beyond_[ended_ % most_line_sets]; ++ended_) ended_beyond_.reset(ended_ % most_line_sets);
    }
    completed_[rank_].count.store(ended_, std::memory_order_release);
    wake_sleepers();
  }

  /// Whether all members may read and write each other's memory.
  bool readable() const noexcept { return readable_; }
  void set_readable(bool readable) noexcept { readable_ = readable; }
  /// Whether the members may access each other's memory, and each member has a progress thread.
  bool async_progress() const noexcept { return async_progress_; }
  void set_async_progress(bool progress) noexcept { async_progress_ = progress; }

  /// Made by the first call; nullptr if no memory is left.
  CopyCosts* copy_costs() noexcept {
    if (copy_costs_ == nullptr) [[unlikely]]
      copy_costs_.reset(new (std::nothrow) CopyCosts);
    return copy_costs_.get();
  }

  /// To be called after changing a word for which others may wait.
  void wake_sleepers() noexcept {
    if (proto::SleepNotice::any_up(*sleepers_)) [[unlikely]]
      wake_each();
  }

  proto::SleepNotice notice() const noexcept { return {&asleep_[rank_], sleepers_}; }
  SlotHost& host() const noexcept { return *host_; }

 private:
  struct alignas(64) CompletedLines {
    Atomic<std::uint64_t> count;
    node::ProcessMark process;  ///< written before the members agree to use the memory
    // This word has a line of its own: others read `count` often, and this member writes `begun` in every operation.
    alignas(64) Atomic<std::uint64_t> begun;
    std::array<Atomic<std::uint64_t>, 2> plans;
  };

  static std::uint64_t plan_value(std::uint64_t number, std::uint32_t plan) noexcept {
    return ((number + 1) << plan_bits) | plan;
  }
  void wake_each() noexcept;
  bool look_for_vacancy(std::uint64_t number, std::uint64_t before) noexcept;
  /// The count of completed operations whose lower bits came with a flag. Counts of members differ by little.
  std::uint64_t whole_count(std::uint64_t lower) const noexcept {
    return ended_ + static_cast<std::uint64_t>(static_cast<std::int64_t>((lower - ended_) << call_bits) >> call_bits);
  }

  std::unique_ptr<CopyCosts> copy_costs_;
  FlagLine* lines_;
  std::byte* slots_;
  CompletedLines* completed_;
  Atomic<std::uint32_t>* sleepers_;
  Atomic<std::uint32_t>* asleep_;
  SlotHost* host_;
  int rank_;
  int members_;
  std::uint64_t line_sets_;
  std::size_t slot_bytes_;
  bool readable_ = false;
  bool async_progress_ = false;
  std::uint64_t all_ended_ = 0;               ///< operations that all members are known to have completed
  std::uint64_t begun_ = 0;                   ///< what this member has published in begun()
  unsigned plans_ = 0;                        ///< plans that this member has had
  std::uint64_t ended_ = 0;                   ///< operations that this member has completed, up to the first gap
  std::bitset<most_line_sets> ended_beyond_;  ///< completed operations beyond the gap: a bit at the place of the set
  std::array<Writes, slot_sets> backed_{};
  MemberGroups groups_;
  std::unique_ptr<std::uint64_t[]> known_;  ///< operations that each member is known to have completed
};

}  // namespace bowline::coll
