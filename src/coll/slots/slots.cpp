// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/slots.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/atomic.hpp"
#include "base/error.hpp"

namespace bowline::coll {
namespace {

Error ended(int member) {
  return {ErrorClass::proc_failed,
          fmt::format("rank {} of the communicator has ended, and its memory with it", member)};
}

}  // namespace

Task::Handle Vacancy::await_suspend(std::coroutine_handle<> waiter) {
  return leaving_.emplace(slots_.leave(writes_)).await_suspend(waiter);
}

void Slots::back(Writes writes) {
  try {
    memory_.back(sequence_, writes);
  } catch (...) {
    writes == Writes::all_slots ? fail_notified() : fail();
    throw;
  }
}

void Slots::fail(Cause why) noexcept {
  if (step_of(line(memory_.rank())) - SlotMemory::first_failure > Cause::count)  // no failure published yet
    publish(SlotMemory::failed_step(why));
}

/// The other members may wait for their own lines, to which they write nothing before they are notified.
void Slots::fail_notified(Cause why) noexcept {
  fail(why);
  for (int member = 0; member < memory_.members(); ++member) {
    if (member != memory_.rank()) notify(member, SlotMemory::failed_step(why));
  }
}

Task Slots::leave(Writes writes) {
  constexpr unsigned pauses = 32;
  const bool inline_only = writes == Writes::inline_data;
  while (!vacant(writes)) {
    const int member = memory_.last_in(sequence_, sets(writes));
    const Atomic<std::uint64_t>& completed = memory_.completed(member);
    // If there are many sets, waits until more than this set is free, so that the next operations need no look. The
    // awaited member increments its count at each operation and loses the cache line at each look, so there should be
    // few looks.
    const std::uint64_t sequence = sequence_ - sets(writes) + (inline_only ? memory_.line_sets() / 4 : 1);
    for (unsigned look = 0; inline_only && look < spins_ / pauses && !proto::Watch::reached(completed, sequence);
         ++look) {
      for (unsigned pause = 0; pause < pauses; ++pause) cpu_relax();
    }
    Reached left(*this, member, completed, sequence, nullptr, inline_only ? 0 : spins_);
    try {
      co_await left;
    } catch (const Error& error) {  // the awaited process has ended
      if (writes == Writes::all_slots) fail_notified(Cause::of(error));
      throw;
    }
  }
}

Task Slots::meet(std::uint32_t plan, bool& agreed) {
  agreed = true;
  for (int member = 0; member < memory_.members(); ++member) {
    if (member == memory_.rank()) continue;
    auto begun = begun_by(member);
    co_await begun;
    agreed &= planned_by(member, plan);
  }
}

void Slots::read(int member, const std::byte* theirs, std::span<std::byte> mine) {
  while (!mine.empty()) {
    const ssize_t got = node::read_memory(memory_.process(member), theirs, mine);
    if (got > 0) {
      theirs += got;
      mine = mine.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      if (got < 0 && errno == ESRCH) fail_without(ended(member));
      abandon();
      throw Error(ErrorClass::buffer,
                  fmt::format("the send buffer of rank {} of the communicator is not readable for {} bytes: {}", member,
                              mine.size(), std::strerror(errno)));
    }
  }
}

void Slots::write(int member, std::span<const std::byte> mine, std::byte* theirs) {
  while (!mine.empty()) {
    const ssize_t put = node::write_memory(memory_.process(member), mine, theirs);
    if (put > 0) {
      theirs += put;
      mine = mine.subspan(static_cast<std::size_t>(put));
    } else if (put == 0 || errno != EINTR) {
      if (put < 0 && errno == ESRCH) fail_without(ended(member));
      abandon();
      throw Error(ErrorClass::buffer,
                  fmt::format("the receive buffer of rank {} of the communicator is not writable for {} bytes: {}",
                              member, mine.size(), std::strerror(errno)));
    }
  }
}

void Slots::fail_after(int member) {
  fail_after(member, line(member));
}

void Slots::fail_after(int member, const FlagLine& flags) {
  const Cause why = tells_failure(flags) ? SlotMemory::cause_of(step_of(flags)) : Cause();
  fail(why);
  throw why.error(member);
}

void Slots::compare_call(int member, std::uint64_t other) {
  if (!SlotMemory::same_lap(other, call_)) return;  // the member is in a later operation already
  const CallId theirs = SlotMemory::call_of(other);
  const CallId mine = SlotMemory::call_of(call_);
  if (mine.matches(theirs)) return;
  fail();
  throw different_calls(member, theirs, mine);
}

void Slots::fail_without(const Error& loss) {
  fail(Cause::of(loss));
  throw Error(loss);
}

void Slots::refuse_length(int member) {
  const std::uint64_t word = told(member);
  if (word >> length_bits != length_word(0) >> length_bits) return;
  fail();
  throw Error(ErrorClass::truncate,
              fmt::format("rank {} of the communicator gives {} bytes where this process expects {}: counts and types "
                          "of one collective call must describe the same amount of data in all ranks",
                          member, word & longest, expected_));
}

}  // namespace bowline::coll
