// SPDX-License-Identifier: BSD-3-Clause
#include "proto/long_wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <vector>

#include "base/counter.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "base/thread_ids.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"

namespace bowline::proto {
namespace {

constexpr std::chrono::milliseconds until_long{50};
// From then on a wait has time to find out where it is.
constexpr std::chrono::nanoseconds until_placed = std::chrono::microseconds(200);
// What is missing changes while the wait goes on. To put it into words takes some microseconds.
constexpr std::chrono::milliseconds between_words{100};

Counter time_waited(Category::waiting, "waited",
                    "time that calls have waited after they had polled in vain for a while; of all threads together",
                    Measure::Kind::timer);

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

std::optional<std::chrono::duration<double>> limit_of(Engine& lane, std::uint32_t context) {
  ProcessDirectory* const directory = lane.liveness().directory();
  return directory == nullptr ? std::nullopt : directory->time_limit(context);
}

/// Whether a time limit may end the wait, or a part of it.
bool is_limited(Engine& lane, const WaitDescription& wait) {
  return std::ranges::any_of(wait.contexts, [&](std::uint32_t context) { return limit_of(lane, context).has_value(); });
}

/// Whether ranks that are not listed may end the wait, and this process knows those of other jobs: it may be them.
bool is_open(const WaitTargets& targets) {
  return knows_other_jobs() && (targets.more || targets.count == 0);
}

/// What a rank does that could end the wait, as far as the launcher's board shows it.
std::string doing_of(std::int32_t rank) {
  const std::optional<WaitSlot::Line> line = ShownWait::line_of(rank);
  if (!line || line->state == WaitSlot::State::unused || line->state == WaitSlot::State::unreadable) return {};
  if (line->state == WaitSlot::State::idle) return fmt::format("; rank {} does not wait in MPI", rank);
  return fmt::format("; rank {} is {}", rank, line->text);
}

/// The sentence of operations that fail because a wait has lasted for too long.
std::string overdue_in_words(const WaitDescription& wait, std::chrono::duration<double> waited,
                             std::chrono::duration<double> limit, const std::string& communicator) {
  constexpr std::size_t most_told = 3;
  std::string others;
  const auto ranks = wait.targets.listed();
  for (std::size_t i = 0; i < ranks.size() && i < most_told; ++i) others += doing_of(ranks[i]);
  return fmt::format(
      "the call has waited {} for {:.1f} s, but bowline_timeout of {} allows {} s; its operations fail "
      "in this process from now on, those of other communicators go on{}",
      wait.words, waited.count(), communicator, limit.count(), others);
}

}  // namespace

void LongWait::own_threads_are_those_beside(std::span<const pid_t> others) {
  std::vector<pid_t> own = thread_ids();
  std::erase_if(own, [&](pid_t each) { return each == this_thread_id() || std::ranges::binary_search(others, each); });
  own_threads() = std::move(own);
}

void LongWait::begin(Engine& lane, Awaiting awaited) noexcept {
  looked_at_ = noted_at_ = event_time();
  profile_ = WaitProfile::in_use();
  waits.fetch_add(1, std::memory_order_relaxed);
  if (!wait_begun.heard() && !wait_ended.heard()) return;
  try {
    const WaitDescription wait = awaited.describe == nullptr ? WaitDescription{} : awaited.describe(lane, awaited.what);
    told_ = {.context = wait.contexts.size() == 1 ? wait.contexts.front() : 0,
             .process = wait.targets.count == 1 ? wait.targets.indispensable() : -1};
  } catch (const std::exception&) {  // no memory for the description
    told_ = {.context = 0, .process = -1};
  }
  if (wait_begun.heard()) wait_begun.tell(*told_);
}

/// For a report. It takes some microseconds, of a wait that lasts.
void LongWait::find_place(Engine& lane, Awaiting awaited) noexcept {
  if (!profile_->is_due() && event_time() - looked_at_ < until_placed.count()) return;
  std::int32_t rank = -1;
  try {
    if (awaited.describe != nullptr) rank = awaited.describe(lane, awaited.what).targets.indispensable();
  } catch (const std::exception& error) {  // no memory for the description
    log::info("for whom this process waits is missing in the report: {}", error.what());
  }
  place_.emplace(Place{profile_->site_on_stack(), rank});
}

/// The time of rounds that find something is that of moving data, and so is all time in which this lane has accesses to
/// memory under way. The clock is read once a round. A call that waits in all lanes does not hold the lock.
void LongWait::note_time(Engine& lane) noexcept {
  const LockGuard hold(lane.lock());
  const std::int64_t now = event_time();
  if (moves_) moving_ += static_cast<std::uint64_t>(now - noted_at_);
  noted_at_ = now;
  moves_ = std::ranges::any_of(lane.loop().devices(), [](transport::Device* device) {
    const std::optional<transport::Traffic> traffic = device->traffic();
    return traffic.has_value() && traffic->accesses;
  });
}

void LongWait::end() noexcept {
  waits.fetch_sub(1, std::memory_order_relaxed);
  const std::int64_t now = event_time();
  const auto nanoseconds = static_cast<std::uint64_t>(now - looked_at_);
  time_waited.add(nanoseconds);
  if (profile_ != nullptr) {
    if (moves_) moving_ += static_cast<std::uint64_t>(now - noted_at_);
    const WaitTimes times{.idle = nanoseconds - moving_, .moving = moving_};
    if (place_.has_value()) {
      profile_->waited(times, place_->site, place_->rank);
    } else {
      profile_->waited(times);
    }
  }
  if (!told_.has_value() || !wait_ended.heard()) return;
  wait_ended.tell({.context = told_->context, .nanoseconds = nanoseconds, .process = told_->process});
}

void LongWait::show_if_long(Engine& lane, Awaiting awaited) noexcept {
  const auto now = ShownWait::Clock::now();
  if (!shown_.has_value()) {
    shown_.emplace(now);
    began_ = now;
    next_ = now + until_long;
  }
  if (now < next_) return;
  next_ = now + between_words;
  try {
    const WaitDescription wait = awaited.describe == nullptr ? WaitDescription{} : awaited.describe(lane, awaited.what);
    WaitActivity activity{.events = events_ + Lanes::events_beside()};
    const bool only_ranks_act = only_messages_act(lane, activity) && !is_limited(lane, wait) && !is_open(wait.targets);
    shown_->tell(wait.words, only_ranks_act ? wait.targets : WaitTargets{}, activity);
    if (WaitWatcher* const by = watcher.load(std::memory_order_acquire)) by->looked(lane);
    keep_limits(lane, wait);
  } catch (const std::exception& error) {  // no memory for the words
    log::info("what this process waits for is not shown: {}", error.what());
  }
}

/// Interrupts the communicators whose time limit is over. The thread may wait for operations of several lanes; then it
/// holds none of their locks.
void LongWait::keep_limits(Engine& lane, const WaitDescription& wait) const {
  const std::chrono::duration<double> waited = ShownWait::Clock::now() - began_;
  for (const std::uint32_t context : wait.contexts) {
    Lanes* const lanes = lane.loop().lanes();
    Engine& engine = lanes == nullptr ? lane : lanes->of(context);
    const auto limit = limit_of(lane, context);
    if (!limit || waited < *limit) continue;
    const LockGuard hold(engine.lock());
    const std::string communicator = engine.liveness().directory()->communicator(context);
    engine.interruptions().interrupt(context,
                                     Error(ErrorClass::timeout, overdue_in_words(wait, waited, *limit, communicator)));
  }
}

}  // namespace bowline::proto
