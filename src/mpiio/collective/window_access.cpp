// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/window_access.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "mpiio/access/bounce.hpp"

namespace bowline::mpiio {

using Clock = std::chrono::steady_clock;

void WindowAccess::set(const FileWindow& window, Offset window_begin, Extent part, std::size_t granule) noexcept {
  window_ = window;
  begin_ = window_begin;
  part_ = part;
  granule_ = granule;
  renew();
}

void WindowAccess::execute() noexcept {
  if (writes_) {
    write();
  } else {
    read();
  }
}

void WindowAccess::note(const Outcome& outcome, Offset offset, std::size_t bytes) noexcept {
  if (outcome.error == 0 || fault_.error != 0) return;
  fault_ = {offset + static_cast<Offset>(outcome.bytes), outcome.error, bytes - outcome.bytes};
}

void WindowAccess::read() noexcept {
  if (fault_.error != 0) {
    *window_.valid_end = part_.begin;
    return;
  }
  const auto bytes = static_cast<std::size_t>(part_.length());
  const Outcome outcome = read_all(file_.storage(), part_.begin, {at(part_.begin), bytes});
  note(outcome, part_.begin, bytes);
  *window_.valid_end = part_.begin + static_cast<Offset>(outcome.bytes);
}

Extent WindowAccess::extent_of(GranuleRun run) const noexcept {
  return {begin_ + static_cast<Offset>(run.begin * granule_), begin_ + static_cast<Offset>(run.end * granule_)};
}

/// The data are usually one run. If there are gaps, either each run is written by itself, or the gaps are read before
/// everything is written.
void WindowAccess::write() noexcept {
  Coverage coverage = window_.coverage();
  const auto granules = static_cast<std::size_t>(part_.length()) / granule_;
  if (fault_.error != 0) return coverage.clear(granules);
  CostModel::Sample sample;
  Extent span{};
  for (GranuleRun run = coverage.next(0); run.begin < granules; run = coverage.next(run.end)) {
    const Extent part = extent_of(run);
    if (sample.pieces++ == 0) span.begin = part.begin;
    span.end = part.end;
    sample.data += static_cast<std::size_t>(part.length());
  }
  if (sample.pieces == 0) return;
  sample.span = static_cast<std::size_t>(span.length());
  const auto began = Clock::now();
  CostModel& costs = file_.costs(true);
  const Use sieves = file_.hints().ds_write;
  const bool may = sieves != Use::disabled && sample.pieces > 1 && file_.may_sieve_writes();
  if (may && (sieves == Use::enabled || costs.prefers_span(sample)) && fill_gaps(span)) {
    costs.moved_span(sample, Clock::now() - began);
  } else {
    write_runs();
    if (sample.pieces > 1) costs.moved_pieces(sample, Clock::now() - began);
  }
  coverage.clear(granules);
}

void WindowAccess::write_runs() noexcept {
  const Coverage coverage = window_.coverage();
  const auto granules = static_cast<std::size_t>(part_.length()) / granule_;
  for (GranuleRun run = coverage.next(0); run.begin < granules; run = coverage.next(run.end)) {
    const Extent part = extent_of(run);
    const auto bytes = static_cast<std::size_t>(part.length());
    const RangeBoard::Hold hold(file_.board(), part, RangeBoard::Access::plain);
    const Outcome outcome = write_all(file_.storage(), part.begin, {at(part.begin), bytes});
    note(outcome, part.begin, bytes);
    if (outcome.error != 0) return;
  }
}

/// Reads the bytes between the runs, and writes everything. Returns false if that is not allowed now, or if there is no
/// memory.
bool WindowAccess::fill_gaps(Extent span) {
  std::optional<OpenRegister::Alone> alone;
  if (!file_.opened_once() && !alone.emplace(file_.opens()).holds()) return false;
  const auto bytes = static_cast<std::size_t>(span.length());
  std::optional<Bounce> before;
  try {
    before.emplace(bytes);
  } catch (const std::bad_alloc&) {
    return false;
  }
  const RangeBoard::Hold hold(file_.board(), span, RangeBoard::Access::exclusive);
  const Outcome read = read_all(file_.storage(), span.begin, before->first(bytes));
  if (read.error != 0) return false;
  std::memset(before->data() + read.bytes, 0, bytes - read.bytes);
  const Coverage coverage = window_.coverage();
  GranuleRun run = coverage.next(static_cast<std::size_t>(span.begin - begin_) / granule_);
  while (extent_of(run).end < span.end) {
    const GranuleRun next = coverage.next(run.end);
    const Extent gap{extent_of(run).end, extent_of(next).begin};
    std::memcpy(at(gap.begin), before->data() + (gap.begin - span.begin), static_cast<std::size_t>(gap.length()));
    run = next;
  }
  const Outcome written = write_all(file_.storage(), span.begin, {at(span.begin), bytes});
  note(written, span.begin, bytes);
  return true;
}

}  // namespace bowline::mpiio
