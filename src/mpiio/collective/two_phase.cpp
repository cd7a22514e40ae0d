// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/two_phase.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "mpiio/access/bounce.hpp"
#include "mpiio/async/workers.hpp"
#include "mpiio/collective/steps.hpp"

namespace bowline::mpiio {
namespace {

// Data with holes in memory are copied in slices of this length, which stay in the caches.
constexpr std::size_t slice_bytes = 64 << 10;

}  // namespace

TwoPhase::TwoPhase(File& file, coll::TeamChannel& channel, const Plan& plan, WindowMemory& memory, const View& view,
                   const Access& access, bool waits)
    : team_(file.comm().team()),
      channel_(channel),
      plan_(plan),
      memory_(memory),
      view_(view),
      access_(access),
      waits_(waits),
      user_(access_.memory),
      unit_(plan.units().unit(team_.rank)),
      index_(plan.units().index(team_.rank)),
      members_(plan.units().members(unit_)),
      role_(plan.role(team_.rank)),
      moved_(access.bytes),
      work_(file, access.writes),
      begins_(static_cast<std::size_t>(plan.aggregators()), nowhere),
      next_(begins_),
      looked_(begins_.size()),
      parts_(begins_.size()),
      values_(3 * begins_.size() + 1) {}

// ---- rounds

Task TwoPhase::write() {
  Task beginning = begin();
  co_await beginning;
  for (int set = 0; any(begins_); set = 1 - set) {
    for (int i = 0; plan_.active(unit_) && i < plan_.each(); ++i)
      put(memory_.window(i, set), window_of(plan_.number(unit_, i), begins_));
    if (plan_.units().count() > 1) {
      Task exchanging = write_other_units(set);
      co_await exchanging;
    }
    Task finishing = finish_work();  // the windows of the round before may be filled again
    co_await finishing;
    Task reducing = reduce(false);
    co_await reducing;
    if (aggregates()) start_work(set, window_of(own_number(), begins_), any(next_));
    std::swap(begins_, next_);
  }
  Task finishing = finish_work();
  co_await finishing;
  std::ranges::fill(begins_, nowhere);
  Task reducing = reduce(false);
  co_await reducing;
  if (first_fault_ != nowhere) moved_ = portion({std::numeric_limits<Offset>::min(), first_fault_}).bytes;
}

Task TwoPhase::read() {
  Task beginning = begin();
  co_await beginning;
  Begins before(begins_.size(), nowhere);
  for (int set = 0; any(begins_) || any(before); set = 1 - set) {
    const bool known = plan_.single_round() && !any(before);
    if (known) {
      std::ranges::fill(next_, nowhere);
      for (int k = 0; k < plan_.aggregators(); ++k) parts_[static_cast<std::size_t>(k)] = window_of(k, begins_);
    } else {
      Task reducing = reduce(true);
      co_await reducing;
    }
    if (aggregates()) start_work(set, parts_[static_cast<std::size_t>(own_number())], any(next_) || any(before));
    for (int i = 0; plan_.active(unit_) && i < plan_.each(); ++i)
      take(memory_.window(i, 1 - set), window_of(plan_.number(unit_, i), before));
    if (plan_.units().count() > 1 && any(before)) {
      Task exchanging = read_other_units(before, 1 - set);
      co_await exchanging;
    }
    Task finishing = finish_work();
    co_await finishing;
    std::swap(before, begins_);
    std::swap(begins_, next_);
  }
}

/// Finds the windows of the first round.
Task TwoPhase::begin() {
  const bool single = plan_.single_round();
  for (std::size_t k = 0; k < begins_.size(); ++k) {
    const Extent domain = plan_.domain(static_cast<int>(k));
    looked_[k] = single ? domain.end : domain.begin;
    if (single && !domain.empty()) begins_[k] = domain.begin;
  }
  if (single) co_return;
  Task reducing = reduce(false);
  co_await reducing;
  std::swap(begins_, next_);
}

/// All members tell where they have data behind the windows of this round, and whether an access has failed; with
/// `with_parts` also where their data lie in these windows.
Task TwoPhase::reduce(bool with_parts) {
  const std::size_t count = begins_.size();
  for (std::size_t k = 0; k < count; ++k) {
    const int aggregator = static_cast<int>(k);
    values_[k] = first_data({looked_[k], plan_.domain(aggregator).end});
    if (!with_parts) continue;
    const Extent window = window_of(aggregator, begins_);
    values_[count + 1 + k] = first_data(window);
    values_[2 * count + 1 + k] = -last_data(window);
  }
  values_[count] = work_.fault().error != 0 ? work_.fault().offset : nowhere;
  Task combining = minimize_all(channel_, std::span(values_).first(with_parts ? 3 * count + 1 : count + 1));
  co_await combining;
  first_fault_ = values_[count];
  for (std::size_t k = 0; k < count; ++k) {
    next_[k] = values_[k] == nowhere ? nowhere : std::max(looked_[k], values_[k] - values_[k] % Plan::page);
    const int aggregator = static_cast<int>(k);
    looked_[k] = next_[k] == nowhere ? plan_.domain(aggregator).end : window_of(aggregator, next_).end;
    if (with_parts) {
      const bool empty = values_[count + 1 + k] == nowhere;
      parts_[k] = empty ? Extent{} : Extent{values_[count + 1 + k], -values_[2 * count + 1 + k]};
    }
  }
}

/// `more`: this member has something to do meanwhile. An access with which nothing overlaps needs no other thread, but
/// if threads share the lane the access must not hold the lane's lock.
void TwoPhase::start_work(int set, Extent part, bool more) {
  if (part.empty()) return;
  const Offset begin = begins_[static_cast<std::size_t>(own_number())];
  work_.set(memory_.window(role_, set), begin, part, plan_.granule());
  const bool alone = waits_ && !team_.engine.lock().enabled();
  const bool overlaps = more && !team_.engine.loop().policy().shared_cores;
  if (!alone || overlaps) {
    try {
      Workers::here().start(work_);
      working_ = true;
      return;
    } catch (const std::bad_alloc&) {
      // This thread then makes the access.
    }
  }
  work_.execute();
}

Task TwoPhase::finish_work() {
  if (!working_) co_return;
  auto end = work_.end();
  co_await end;
  working_ = false;
}

// ---- windows and this process's data

bool TwoPhase::any(const Begins& begins) noexcept {
  return std::ranges::any_of(begins, [](Offset begin) { return begin != nowhere; });
}

Extent TwoPhase::window_of(int aggregator, const Begins& begins) const noexcept {
  const Offset begin = begins[static_cast<std::size_t>(aggregator)];
  if (begin == nowhere) return {};
  return {begin, std::min(begin + static_cast<Offset>(plan_.window()), plan_.domain(aggregator).end)};
}

TwoPhase::Portion TwoPhase::portion(Extent part) const noexcept {
  if (access_.bytes == 0) return {0, 0};
  const auto place = [&](Offset offset) {
    const std::uint64_t position = view_.position_of(offset, access_.position);
    return static_cast<std::size_t>(std::clamp(position, access_.position, access_.position + access_.bytes) -
                                    access_.position);
  };
  const std::size_t from = part.begin == std::numeric_limits<Offset>::min() ? 0 : place(part.begin);
  return {from, place(part.end) - from};
}

Offset TwoPhase::first_data(Extent part) const noexcept {
  if (part.empty()) return nowhere;
  const Portion data = portion(part);
  return data.bytes == 0 ? nowhere : view_.offset_of(access_.position + data.from);
}

/// The place behind the last byte of data; the smallest number if there are no data.
Offset TwoPhase::last_data(Extent part) const noexcept {
  if (part.empty()) return -nowhere;
  const Portion data = portion(part);
  return data.bytes == 0 ? -nowhere : view_.offset_of(access_.position + data.from + data.bytes - 1) + 1;
}

/// A cursor over the stream, from the beginning of a window's data, whose addresses lie in the window's image.
dtype::Cursor TwoPhase::places(const FileWindow& window, Offset window_begin, const Portion& data) const noexcept {
  const auto base = reinterpret_cast<std::uintptr_t>(window.image) - static_cast<std::uintptr_t>(window_begin);
  dtype::Cursor cursor = view_.cursor(reinterpret_cast<const std::byte*>(base));
  cursor.seek(access_.position + data.from);
  return cursor;
}

void TwoPhase::put(const FileWindow& window, Extent part) {
  const Portion data = part.empty() ? Portion{0, 0} : portion(part);
  if (data.bytes == 0) return;
  dtype::Cursor target = places(window, part.begin, data);
  if (user_.contiguous()) {
    target.unpack(user_.at(data.from, data.bytes));
  } else {
    const Bounce slice(std::min(slice_bytes, data.bytes));
    for (std::size_t done = 0; done < data.bytes; done += slice.size()) {
      const auto next = slice.first(std::min(slice.size(), data.bytes - done));
      user_.copy_out(data.from + done, next);
      target.unpack(next);
    }
  }
  mark(window, part);
}

void TwoPhase::mark(const FileWindow& window, Extent part) const {
  const Portion data = part.empty() ? Portion{0, 0} : portion(part);
  const Coverage coverage = window.coverage();
  Coverage::Marker marker(coverage);
  FilePieces pieces(view_, access_.position + data.from, data.bytes);
  std::array<FilePiece, 64> some;
  while (const std::size_t count = pieces.next(some)) {
    for (const FilePiece& piece : std::span(some).first(count)) {
      const auto begin = static_cast<std::size_t>(piece.offset - part.begin);
      marker.mark({begin / plan_.granule(), (begin + piece.bytes) / plan_.granule()});
    }
  }
}

void TwoPhase::take(const FileWindow& window, Extent part) {
  const Portion wanted = part.empty() ? Portion{0, 0} : portion(part);
  if (wanted.bytes == 0) return;
  const Portion data = portion({part.begin, std::clamp(*window.valid_end, part.begin, part.end)});
  if (data.bytes < wanted.bytes) moved_ = std::min(moved_, wanted.from + data.bytes);
  if (data.bytes == 0) return;
  dtype::Cursor source = places(window, part.begin, data);
  if (user_.contiguous()) {
    source.pack(user_.at(data.from, data.bytes));
  } else {
    const Bounce slice(std::min(slice_bytes, data.bytes));
    for (std::size_t done = 0; done < data.bytes; done += slice.size()) {
      const auto next = slice.first(std::min(slice.size(), data.bytes - done));
      source.pack(next);
      user_.copy_in(data.from + done, next);
    }
  }
}

}  // namespace bowline::mpiio
