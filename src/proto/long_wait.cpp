// SPDX-License-Identifier: BSD-3-Clause
#include "proto/long_wait.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <vector>

#include "base/log.hpp"
#include "base/thread_ids.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"

namespace bowline::proto {
namespace {

constexpr std::chrono::milliseconds until_long{50};
// What is missing changes while the wait goes on. To put it into words takes some microseconds.
constexpr std::chrono::milliseconds between_words{100};

/// The library's own threads, which never call MPI, in ascending order.
std::vector<pid_t>& own_threads() {
  static std::vector<pid_t> threads;
  return threads;
}

/// Whether no other thread of the program lives.
bool program_has_one_thread() {
  const std::vector<pid_t> all = thread_ids();
  const pid_t mine = this_thread_id();
  return !all.empty() && std::ranges::all_of(all, [mine](pid_t each) {
    return each == mine || std::ranges::binary_search(own_threads(), each);
  });
}

/// Adds up what the devices of this lane have sent and delivered. Returns whether accesses to memory are under way, or
/// messages that no device has taken yet, because there is no connection or no room.
bool add_traffic(Engine& lane, WaitActivity& activity) {
  bool under_way = lane.outbox().waits_for_room();
  for (transport::Device* const device : lane.loop().devices()) {
    const std::optional<transport::Traffic> traffic = device->traffic();
    if (!traffic) continue;
    activity.sent += traffic->sent;
    activity.delivered += traffic->delivered;
    under_way = under_way || traffic->accesses;
  }
  return under_way;
}

/// Fills in the messages of this process. Returns whether a wait of this thread for ranks can be ended by messages of
/// these ranks only: other threads of the program may call MPI, too, and accesses to memory end by themselves.
bool only_messages_act(Engine& lane, WaitActivity& activity) {
  if (lane.loop().lock().enabled() && !program_has_one_thread()) return false;
  const Lanes* const lanes = lane.loop().lanes();
  if (lanes == nullptr) return !add_traffic(lane, activity);
  bool under_way = false;
  for (std::size_t i = 0; i < lanes->count(); ++i) under_way = add_traffic((*lanes)[i], activity) || under_way;
  return !under_way;
}

}  // namespace

void LongWait::own_threads_are_those_beside(std::span<const pid_t> others) {
  std::vector<pid_t> own = thread_ids();
  std::erase_if(own, [&](pid_t each) { return each == this_thread_id() || std::ranges::binary_search(others, each); });
  own_threads() = std::move(own);
}

void LongWait::show_if_long(Engine& lane, Awaiting awaited) noexcept {
  const auto now = ShownWait::Clock::now();
  if (!shown_.has_value()) {
    shown_.emplace(now);
    next_ = now + until_long;
  }
  if (now < next_) return;
  next_ = now + between_words;
  try {
    WaitDescription wait = awaited.describe == nullptr ? WaitDescription{} : awaited.describe(lane, awaited.what);
    WaitActivity activity{.events = events_ + Lanes::events_beside()};
    if (!only_messages_act(lane, activity)) wait.targets = {};
    shown_->tell(wait.words, wait.targets, activity);
    if (WaitWatcher* const by = watcher.load(std::memory_order_acquire)) by->looked(lane);
  } catch (const std::exception& error) {  // no memory for the words
    log::info("what this process waits for is not shown: {}", error.what());
  }
}

}  // namespace bowline::proto
