// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/watched_windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "api/checking/places.hpp"
#include "api/checking/window_comparison.hpp"
#include "base/lock.hpp"
#include "comm/communicator.hpp"
#include "comm/group.hpp"
#include "rma/window.hpp"

namespace bowline::api::checking {
namespace {

/// Stores are looked for in the memory of smaller windows: it is copied at each fence.
constexpr std::int64_t most_memory_copied = std::int64_t{16} << 20;

std::span<const std::byte> own_memory(const rma::Window& window) noexcept {
  return {static_cast<const std::byte*>(window.base()), static_cast<std::size_t>(*window.bytes())};
}

std::vector<int> ranks_in(const rma::Window& window, const comm::Group& group) {
  std::vector<int> ranks;
  for (int i = 0; i < group.size(); ++i) {
    const int rank = window.communicator().group().rank_of(group.process(i));
    if (rank != comm::Group::no_rank) ranks.push_back(rank);
  }
  return ranks;
}

bool have_same_members(const comm::Communicator& a, const comm::Communicator& b) {
  if (a.inter() || b.inter() || a.size() != b.size()) return false;
  for (int rank = 0; rank < a.size(); ++rank) {
    if (b.group().rank_of(a.process(rank)) == comm::Group::no_rank) return false;
  }
  return true;
}

}  // namespace

// Not destroyed by exit(): threads may still call MPI.
WatchedWindows& WatchedWindows::of_this_process() {
  static auto* const all = new WatchedWindows;
  return *all;
}

WatchedWindows::Record WatchedWindows::find(const rma::Window& window) {
  const std::lock_guard hold(mutex_);
  const auto found = records_.find(&window);
  return found == records_.end() ? nullptr : found->second;
}

template <class Change>
void WatchedWindows::change(const rma::Window& window, Change change) {
  const std::lock_guard hold(mutex_);
  const auto found = records_.find(&window);
  if (found != records_.end()) change(*found->second);
}

/// Of several windows one may bring what is not seen in the other: a process may read its own memory in it. Memory that
/// a window shares is read without calls.
WindowRecord::Knowledge WatchedWindows::knowledge() const {
  return {
      .learnt = learnt_,
      .always_informed =
          records_.size() > 1 ||
          std::ranges::any_of(records_, [](const auto& each) { return each.first->flavor() == rma::Flavor::shared; }),
      .holds_exclusive_lock =
          std::ranges::any_of(records_, [](const auto& each) { return each.second->holds_exclusive_lock(); })};
}

void WatchedWindows::learn() {
  const std::lock_guard hold(mutex_);
  ++learnt_;
}

void WatchedWindows::passed_barrier(const comm::Communicator& comm) {
  const std::lock_guard hold(mutex_);
  for (const auto& [window, record] : records_) {
    if (have_same_members(comm, window->communicator())) record->passed_barrier(knowledge());
  }
}

/// Only in memory that the program gives: other members may have addresses of memory that the library gives. Not in
/// memory of two windows: the other one's accesses change it, too.
bool WatchedWindows::is_memory_watched(const rma::Window& window) const {
  if (window.flavor() != rma::Flavor::create || *window.bytes() > most_memory_copied) return false;
  const std::byte* const begin = own_memory(window).data();
  return std::ranges::none_of(records_, [&](const auto& each) {
    if (each.first == &window) return false;
    const auto other = own_memory(*each.first);
    return each.first->flavor() == rma::Flavor::dynamic ||
           (begin < other.data() + other.size() && other.data() < begin + *window.bytes());
  });
}

void WatchedWindows::begin(WindowRecord& record) {
  const std::lock_guard hold(mutex_);
  record.begin_anew(knowledge());
  record.memory_at_begin().clear();
  if (!is_memory_watched(record.window())) return;
  const auto memory = own_memory(record.window());
  record.memory_at_begin().assign(memory.begin(), memory.end());
}

void WatchedWindows::watch(rma::Window& window) {
  std::vector<std::int64_t> units;
  {
    const LockGuard lane(window.engine().lock());
    units = exchange_units(window);
  }
  const auto record = std::make_shared<WindowRecord>(window, std::move(units));
  {
    const std::lock_guard hold(mutex_);
    records_[&window] = record;
    ++learnt_;
  }
  begin(*record);
}

std::int64_t WatchedWindows::unit(const rma::Window& window, int target) {
  const Record record = find(window);
  return record == nullptr ? 0 : record->unit(target);
}

std::optional<std::string> WatchedWindows::accessed(rma::Window& window, int target, const WindowAccess& access,
                                                    std::span<const std::byte> data, const MpiCall& by,
                                                    bool may_be_complete) {
  std::optional<WindowRecord::Earlier> conflict;
  change(window,
         [&](WindowRecord& record) { conflict = record.add(target, access, data, by, knowledge(), may_be_complete); });
  if (!conflict || !is_new({by.returns_to, conflict->by.returns_to})) return {};
  const std::vector<std::string> places = in_words(std::array{by, conflict->by});
  return fmt::format(
      "{} and {} before it access the same {} of the memory of rank {} in {}, and nothing says which "
      "comes first: no call between the two completes the first",
      places[0], places[1], in_bytes(access.common_bytes(conflict->access)), window.communicator().process(target),
      window.in_words());
}

bool WatchedWindows::is_new(const std::pair<std::uintptr_t, std::uintptr_t>& places) {
  const std::lock_guard hold(mutex_);
  return told_.insert(places).second;
}

void WatchedWindows::started(const rma::Window& window, const comm::Group& targets) {
  change(window, [&](WindowRecord& record) { record.started(ranks_in(window, targets)); });
}

void WatchedWindows::posted(const rma::Window& window, const comm::Group& origins) {
  change(window, [&](WindowRecord& record) { record.posted(ranks_in(window, origins)); });
}

void WatchedWindows::access_ended(const rma::Window& window) {
  change(window, [](WindowRecord& record) {
    record.access_ended();
    record.completed(-1);
  });
}

/// A process gets an exclusive lock after all processes that have held it, and may learn of their accesses by it.
void WatchedWindows::locked(const rma::Window& window, int target, bool exclusive) {
  change(window, [&](WindowRecord& record) { record.locked(target, exclusive); });
  if (exclusive) learn();
}

void WatchedWindows::locked_all(const rma::Window& window) {
  change(window, [](WindowRecord& record) { record.locked_all(); });
}

void WatchedWindows::unlocked(const rma::Window& window, int target) {
  change(window, [&](WindowRecord& record) {
    if (target < 0)
      record.all_unlocked();
    else
      record.unlocked(target);
  });
}

void WatchedWindows::flushed(const rma::Window& window, int target) {
  change(window, [&](WindowRecord& record) { record.completed(target); });
}

void WatchedWindows::synchronized(const rma::Window& window) {
  change(window, [&](const WindowRecord& record) { learnt_ += record.has_read() ? 1 : 0; });
}

std::vector<std::string> WatchedWindows::compare(WindowRecord& record) {
  WindowRecord::Knowledge now;
  std::vector<std::byte> memory;
  bool tells_of_limit = false;
  {
    const std::lock_guard hold(mutex_);
    now = knowledge();
    const auto own = own_memory(record.window());
    if (!record.memory_at_begin().empty() && is_memory_watched(record.window())) memory.assign(own.begin(), own.end());
    tells_of_limit = record.is_full() && !std::exchange(told_of_limit_, true);
  }
  const LockGuard lane(record.window().engine().lock());
  std::vector<std::string> sentences = compare_accesses(record, now, memory);
  if (tells_of_limit) {
    sentences.push_back(
        fmt::format("BOWLINE_CHECK=epochs does not look at all accesses of this rank to {}: there are "
                    "more than {} between two calls of MPI_Win_fence",
                    record.window().in_words(), WindowRecord::most_accesses));
  }
  return sentences;
}

std::vector<std::string> WatchedWindows::fenced(const rma::Window& window) {
  const Record record = find(window);
  if (record == nullptr) return {};
  std::vector<std::string> sentences = compare(*record);
  learn();
  begin(*record);
  return sentences;
}

std::vector<std::string> WatchedWindows::freed(const rma::Window& window) {
  const Record record = find(window);
  if (record == nullptr) return {};
  {
    const LockGuard lane(window.engine().lock());
    await_members(record->window());
  }
  std::vector<std::string> sentences = compare(*record);
  const std::lock_guard hold(mutex_);
  records_.erase(&window);
  return sentences;
}

}  // namespace bowline::api::checking
