// SPDX-License-Identifier: BSD-3-Clause
// Operations through shared memory that go in rounds. In each a member gives, which is to write where others read, says
// so by its flag, and takes from those whose flags it waits for.
//
// What need not wait is done by plain functions; a coroutine is made where a member has to wait for longer than it
// looks. So a short operation whose members come to it together, which is a single round, takes no frame.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "base/task.hpp"
#include "coll/channel.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// None if the last is before the first.
struct Range {
  int last = -1;
  int first = 0;
};

/// Who waits for whom in the rounds of an operation, as one member sees it.
struct Rounds {
  std::uint64_t count = 1;
  Range sources;            ///< of whom it takes, from the last to the first; of itself without waiting
  Range readers;            ///< who read what it gives, and must have done so before something else takes its place
  std::uint64_t from = 2;   ///< the first round that takes the place of another one
  std::uint64_t ahead = 2;  ///< a round waits for the flag that readers raise in the round which is so many before it
  Writes writes = Writes::own_slot;  ///< what it gives; if that is something its turn must be vacant
};

/// What a member does in the rounds, which an algorithm derives from this and says where it differs. It is kept by the
/// operation's task; what it refers to must outlive that. Ranges are of members, or of what member() makes of them.
struct RoundWork {
  static constexpr bool gives_what_it_takes = false;  ///< it gives after the flags of its sources have been raised
  static int member(int index) noexcept { return index; }
  static bool awaits_reader(std::uint64_t, int) noexcept { return true; }
  static bool takes_from(std::uint64_t, int) noexcept { return true; }
  static bool tells(std::uint64_t) noexcept { return true; }  ///< whether it raises its flag
  static void give(std::uint64_t) noexcept {}
  static void take(std::uint64_t, int) noexcept {}
  static void end() noexcept {}
};

/// One member's way through the rounds.
template <std::derived_from<RoundWork> Work>
class RoundTrip {
 public:
  RoundTrip(Slots& slots, int rank, const Rounds& plan, Work work) noexcept
      : slots_(slots), rank_(rank), plan_(plan), work_(std::move(work)), reader_(plan.readers.first) {}

  bool may_begin() { return plan_.writes == Writes::nothing || slots_.vacant(plan_.writes); }

  /// Goes on until the operation has ended here, or it has to wait for a member. Returns whether it has ended.
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
  /// Whom advance() had to wait for.
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
  int reader_;      ///< the next one to be waited for
  int source_ = 0;  ///< the same
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

/// Goes through the rounds, as far as possible before it returns if the channel allows that.
template <class Work>
[[gnu::always_inline]] inline Task go_through(Channel& channel, const Rounds& plan, Work work) {
  RoundTrip<Work> trip(channel.slots(), channel.rank(), plan, std::move(work));
  const bool begun = channel.at_once() && trip.may_begin();
  if (begun && trip.advance()) [[likely]]
    return {};
  return travel(std::move(trip), begun);
}

}  // namespace bowline::coll
