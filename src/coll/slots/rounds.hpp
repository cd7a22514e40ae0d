// SPDX-License-Identifier: BSD-3-Clause
// Operations in shared memory that work in rounds. In each round a member gives (writes data that others read),
// publishes that by its flag, waits for the flags of its sources, and takes (reads) from them.
//
// Plain functions do all work that needs no waiting; a coroutine is made only if a flag is not set after `spins` looks.
// So a short operation, a single round that all members enter at about the same time, needs no coroutine frame.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "base/task.hpp"
#include "coll/channel/channel.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// Empty if last < first.
struct MemberRange {
  int last = -1;
  int first = 0;
};

/// For which members one member waits in the rounds of an operation.
struct Rounds {
  std::uint64_t count = 1;
  MemberRange
      sources;  ///< members from which this member takes data, from the last to the first; from itself without waiting
  MemberRange
      readers;  ///< members that read this member's data; they must have read the data before these are overwritten
  std::uint64_t from = 2;            ///< the first round that overwrites an earlier one
  std::uint64_t ahead = 2;           ///< a round waits for the flag that readers set `ahead` rounds earlier
  Writes writes = Writes::own_slot;  ///< where this member writes its data; unless nothing, the set must be vacant
};

/// The work of a member in the rounds. An algorithm derives from it and redefines the functions that differ. The
/// operation's task keeps the object; all that it refers to must outlive the task. Ranges hold members, or indices that
/// member() maps to members.
struct RoundWork {
  static constexpr bool gives_what_it_takes = false;  ///< the member gives data after its sources have set their flags
  static int member(int index) noexcept { return index; }
  static bool awaits_reader(std::uint64_t, int) noexcept { return true; }
  static bool takes_from(std::uint64_t, int) noexcept { return true; }
  static bool tells(std::uint64_t) noexcept { return true; }  ///< whether the member sets its flag in the round
  static void give(std::uint64_t) noexcept {}
  static void take(std::uint64_t, int) noexcept {}
  static void end() noexcept {}
};

/// One member's progress through the rounds.
template <std::derived_from<RoundWork> Work>
class RoundTrip {
 public:
  RoundTrip(Slots& slots, int rank, const Rounds& plan, Work work) noexcept
      : slots_(slots), rank_(rank), plan_(plan), work_(std::move(work)), reader_(plan.readers.first) {}

  bool may_begin() { return plan_.writes == Writes::nothing || slots_.vacant(plan_.writes); }

  /// Runs until the operation has completed here, or until it must wait for a member. Returns whether it has completed.
  [[gnu::always_inline]] bool advance() {
    for (; round_ < plan_.count; ++round_) {
      if (!given_ && !give()) return false;
      for (; source_ >= plan_.sources.first; --source_) {
        const int member = work_.member(source_);
        if (member != rank_ && !work_.takes_from(round_, member)) continue;
        if (member != rank_ && !has_reached(member, round_ + 1)) return false;
        work_.take(round_, member);
      }
      given_ = false;
      reader_ = plan_.readers.first;
    }
    work_.end();
    return true;
  }

  auto vacancy() noexcept { return slots_.vacancy(plan_.writes); }
  /// Waits for the member for which advance() had to wait.
  auto awaited() noexcept { return slots_.reached(member_, step_); }

 private:
  [[gnu::always_inline]] bool give() {
    for (; round_ >= plan_.from && reader_ <= plan_.readers.last; ++reader_) {
      const int member = work_.member(reader_);
      if (member == rank_ || !work_.awaits_reader(round_, member)) continue;
      if (!has_reached(member, round_ + 1 - plan_.ahead)) return false;
    }
    for (int source = plan_.sources.last; Work::gives_what_it_takes && source >= plan_.sources.first; --source) {
      if (!has_reached(work_.member(source), round_ + 1)) return false;
    }
    work_.give(round_);
    if (work_.tells(round_)) slots_.publish(round_ + 1);
    given_ = true;
    source_ = plan_.sources.last;
    return true;
  }
  [[gnu::always_inline]] bool has_reached(int member, std::uint64_t step) {
    if (slots_.has_reached(member, step)) return true;
    member_ = member;
    step_ = step;
    return false;
  }

  Slots& slots_;
  int rank_;
  Rounds plan_;
  Work work_;
  std::uint64_t round_ = 0;
  int reader_;      ///< the next reader to wait for
  int source_ = 0;  ///< the source that advance() looks at next
  bool given_ = false;
  int member_ = 0;
  std::uint64_t step_ = 0;
};

template <class Work>
[[gnu::noinline]] Task travel(RoundTrip<Work> trip, bool begun) {
  if (!begun && !trip.may_begin()) {
    auto vacant = trip.vacancy();
    co_await vacant;
  }
  while (!trip.advance()) {
    auto there = trip.awaited();
    co_await there;
  }
}

/// Runs the rounds. If the channel allows it, runs as many as possible before it returns.
template <class Work>
[[gnu::always_inline]] inline Task go_through(Channel& channel, const Rounds& plan, Work work) {
  RoundTrip<Work> trip(channel.slots(), channel.rank(), plan, std::move(work));
  const bool begun = channel.at_once() && trip.may_begin();
  if (begun && trip.advance()) [[likely]]
    return {};
  return travel(std::move(trip), begun);
}

}  // namespace bowline::coll
