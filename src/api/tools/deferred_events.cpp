// SPDX-License-Identifier: BSD-3-Clause
#include "api/tools/deferred_events.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "api/entry/this_process.hpp"

namespace bowline::api {
namespace {

struct Kept {
  std::shared_ptr<MPI_ABI_T_event_registration> registration;
  const EventKind& kind;
  std::int64_t time;
  std::array<std::byte, EventKind::longest_record> record;
};

struct Queue {
  std::mutex mutex;
  std::deque<Kept> events;
};
// Not destroyed by exit(): threads may still call MPI.
Queue& queue() {
  static auto* const kept = new Queue;
  return *kept;
}

constinit Atomic<int> needed{0};
constinit Atomic<bool> any_kept{false};
thread_local bool delivers = false;

std::size_t kept_now() {
  const std::lock_guard hold(queue().mutex);
  return queue().events.size();
}

std::optional<Kept> take_first() {
  std::optional<Kept> first;
  const std::lock_guard hold(queue().mutex);
  if (!queue().events.empty()) {
    first.emplace(std::move(queue().events.front()));
    queue().events.pop_front();
  }
  any_kept.store(!queue().events.empty(), std::memory_order_relaxed);
  return first;
}

}  // namespace

void DeferredEvents::keep(MPI_ABI_T_event_registration& registration, const Occurrence& occurrence) noexcept {
  const std::lock_guard hold(queue().mutex);
  if (queue().events.size() == most_kept) return registration.drop();
  try {
    Kept& kept =
        queue().events.emplace_back(Kept{registration.shared_from_this(), occurrence.kind, occurrence.time, {}});
    std::ranges::copy(occurrence.record, kept.record.begin());
    any_kept.store(true, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    registration.drop();
  }
}

void DeferredEvents::deliver() noexcept {
  if (!any_kept.load(std::memory_order_relaxed) || std::exchange(delivers, true)) return;
  for (std::size_t left = kept_now(); left > 0; --left) {
    const std::optional<Kept> next = take_first();
    if (!next.has_value()) break;  // another thread delivers as well
    const std::span<const std::byte> record = std::span(next->record).first(next->kind.record_bytes());
    next->registration->call(MPI_T_CB_REQUIRE_NONE, {{next->kind, record, next->time}, deferred_source});
  }
  delivers = false;
}

void DeferredEvents::need(int change) noexcept {
  this_process().follow_calls(needed.fetch_add(change, std::memory_order_relaxed) + change > 0);
}

}  // namespace bowline::api
