// SPDX-License-Identifier: BSD-3-Clause
// Windows: completion of operations in passive-target epochs (MPI-5.0, section 12.5.4), and what other calls use of it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "rma/synchronization/complete_stores.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

struct OneTarget {
  const Window& window;
  const Target& target;
};

proto::WaitDescription target_awaited(proto::Engine&, const void* what) {
  const auto& wait = *static_cast<const OneTarget*>(what);
  return {fmt::format("for operations on rank {} ({} of MPI_COMM_WORLD) of {}", wait.target.rank, wait.target.process,
                      wait.window.in_words()),
          WaitTargets::one(wait.target.process)};
}

proto::WaitDescription targets_awaited(proto::Engine&, const void* what) {
  return {fmt::format("for operations on {}", static_cast<const Window*>(what)->in_words()), WaitTargets::some_rank()};
}

}  // namespace

void Window::flush(int rank) {
  Target& at = target(rank);
  epochs_.check_flush(at);
  complete_stores();
  poll_sometimes();
  if (!at.pending) return;
  begin_flush(at);
  await_flushed(at);
  report_failure(at);
}

void Window::flush_all() {
  epochs_.check_flush_all();
  complete_stores();
  poll_sometimes();
  if (!pending_.empty()) flush_pending();
}

void Window::flush_local(int rank) {
  Target& at = target(rank);
  epochs_.check_flush(at);
  poll_sometimes();
  if (!at.pending || locally_done(at)) return;
  const OneTarget wait{*this, at};
  engine_.wait_until([&] { return locally_done(at); }, {&target_awaited, &wait});
  report_failure(at);
}

void Window::flush_local_all() {
  epochs_.check_flush_all();
  poll_sometimes();
  const auto done = [&] {
    return std::ranges::all_of(pending_, [this](const Target* each) { return locally_done(*each); });
  };
  if (pending_.empty() || done()) return;
  engine_.wait_until(done, {&targets_awaited, this}, Awaited::several);
  report_failures();
}

// ---- for all epochs

void Window::begin_flush(Target& target) {
  target.path->begin_flush(target);
  if (target.accumulates != target.path) target.accumulates->begin_flush(target);
}

bool Window::flushed(const Target& target) const noexcept {
  return target.path->flushed(target) && (target.accumulates == target.path || target.accumulates->flushed(target));
}

bool Window::locally_done(const Target& target) const noexcept {
  return target.path->locally_done(target) &&
         (target.accumulates == target.path || target.accumulates->locally_done(target));
}

/// Whether no operation on the target is left for a later flush. While a flush waits, other threads may begin further
/// operations and further flushes.
bool Window::settled(const Target& target) const noexcept {
  if (target.lost != nullptr) return true;
  return !target.unflushed && !target.unflushed_accesses && flushed(target);
}

void Window::await_flushed(Target& target) {
  const OneTarget wait{*this, target};
  engine_.wait_until([&] { return flushed(target); }, {&target_awaited, &wait});
  if (!target.pending || !settled(target)) return;
  target.pending = false;
  std::erase(pending_, &target);
}

/// Completes the operations on all targets. Throws Error if an operation has failed.
void Window::flush_pending() {
  // The loop uses a copy: while this thread waits for room, other threads may add targets and take some away.
  for (Target* const target : std::vector<Target*>(pending_)) {
    try {
      begin_flush(*target);
    } catch (const Error& error) {
      if (target->failure == nullptr) target->failure = Failure(error);
    }
  }
  await_all_flushed();
  report_failures();
}

void Window::await_all_flushed() {
  const auto done = [this] {
    return std::ranges::all_of(pending_, [this](const Target* each) { return flushed(*each); });
  };
  if (!done()) engine_.wait_until(done, {&targets_awaited, this}, Awaited::several);
}

void Window::report_failure(Target& target) {
  if (target.failure == nullptr && target.lost == nullptr) [[likely]]
    return;
  const Failure failure = target.failure != nullptr ? std::exchange(target.failure, {}) : target.lost;
  throw Error(*failure);
}

/// Forgets the pending targets that are settled. Throws Error if an operation on a pending target has failed.
void Window::report_failures() {
  Failure first;
  std::erase_if(pending_, [&](Target* each) {
    Failure failure = each->failure != nullptr ? std::exchange(each->failure, {}) : each->lost;
    if (first == nullptr) first = std::move(failure);
    each->pending = !settled(*each);
    return !each->pending;
  });
  if (first != nullptr) throw Error(*first);
}

/// Programs poll the memory of others with operations and flushes in a loop; then this process must make progress, too.
void Window::poll_sometimes() {
  constexpr unsigned flushes_per_poll = 32;
  if (++flushes_ % flushes_per_poll == 0) engine_.loop().poll();
}

}  // namespace bowline::rma
