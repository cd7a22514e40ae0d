// SPDX-License-Identifier: BSD-3-Clause
#include "proto/lanes.hpp"

#include <sched.h>

#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

// The longest sleep. Long enough to cost nothing. A process that sleeps looks for lost peers when it wakes, and has no
// other way to notice the end of a process that shares memory with it.
constexpr int sleep_milliseconds = 50;
// The longest sleep of a thread that waits for operations of several lanes. It holds none of their locks, so an
// operation may complete between its last look and its sleep, and no thread wakes it then.
constexpr int nap_milliseconds = 1;
// Yields between two returns to the preferred core.
constexpr unsigned yields_per_settling = 512;
// Spins between two rounds of progress in the other lanes.
constexpr unsigned spins_per_look = 16;

}  // namespace

void Lanes::grow_to(int processes) {
  for (Engine* const engine : engines_) {
    const LockGuard hold(engine->lock());
    engine->grow_to(processes);
  }
}

unsigned Lanes::progress(const Engine* but) {
  unsigned events = 0;
  for (Engine* const engine : engines_) {
    if (engine == but || !engine->lock().try_acquire()) continue;
    events += engine->progress();
    engine->lock().release();
  }
  return events;
}

void Lanes::look_for_lost() {
  for (Engine* const engine : engines_) {
    const LockGuard hold(engine->lock());
    engine->loop().look_for_lost();
  }
}

void Lanes::poll() {
  thread_local Polls polls;
  if (progress() != 0) {
    polls.progressed();
  } else if (polls.should_yield(engines_.front()->loop().policy())) {
    sched_yield();
    rested(false, false);
  }
}

bool Lanes::rest(Engine& mine, Rest kind) {
  // The thread that had the lock may have completed the caller's operation before it could see that the caller sleeps.
  if (mine.lock().pass()) return false;
  if (engines_.size() > 1) {
    thread_local unsigned spins = 0;
    const unsigned events = kind != Rest::spin || ++spins % spins_per_look == 0 ? progress(&mine) : 0;
    beside += events;
    if (events != 0) return false;
  }
  if (kind == Rest::spin) {
    cpu_relax();
    return false;
  }
  transport::Sleeper* const sleeper = sleepers_.place();
  if (kind == Rest::yield || sleeper == nullptr || mine.lock().nested()) {
    sched_yield();
    if (settle_ && ++yields_ % yields_per_settling == 0) settle_();
    return false;
  }
  sleepers_.begin();
  mine.coroutines().put_up_notices();  // first: a process that sees a notice then checks whether this process sleeps
  sleepers_.announce(*sleeper);
  if (mine.outbox().waits_for_room() || mine.loop().anything_ready() || busy_but(&mine)) {
    sleepers_.withdraw(*sleeper);
    mine.coroutines().take_down_notices();
    sched_yield();
    return false;
  }
  mine.lock().release();
  sleepers_.sleep(*sleeper, sleep_milliseconds);
  if (settle_) settle_();
  mine.lock().acquire();
  mine.coroutines().take_down_notices();
  return true;
}

Lanes::Round Lanes::look_after() {
  Round round;
  for (Engine* const engine : engines_) {
    if (!engine->lock().try_acquire()) {
      round.occupied = true;
      continue;
    }
    round.events += engine->progress();
    round.outstanding = round.outstanding || round.events != 0 || engine->outstanding();
    round.reachable = round.reachable || engine->loop().has_network();
    engine->lock().release();
  }
  return round;
}

void Lanes::doze(std::chrono::milliseconds longest) {
  transport::Sleeper* const sleeper = sleepers_.place();
  if (sleeper == nullptr) {  // no other process can wake this process
    sched_yield();
    return;
  }
  bool alone = true;
  sleepers_.begin();
  for (Engine* const engine : engines_) {
    if (!engine->lock().try_acquire()) {
      alone = false;
      continue;
    }
    engine->coroutines().put_up_notices();  // first: as in rest()
    engine->lock().release();
  }
  sleepers_.announce(*sleeper);
  if (alone && !busy_but(nullptr)) {
    sleepers_.sleep(*sleeper, static_cast<int>(longest.count()));
  } else {
    sleepers_.withdraw(*sleeper);
    sched_yield();
  }
  for (Engine* const engine : engines_) {
    // A thread that holds the lock clears the notices itself when it does not need them any more.
    if (!engine->lock().try_acquire()) continue;
    engine->coroutines().take_down_notices();
    engine->lock().release();
  }
}

void Lanes::rest(Rest kind) {
  if (kind == Rest::spin) return cpu_relax();
  transport::Sleeper* const sleeper = sleepers_.place();
  if (kind == Rest::yield || sleeper == nullptr) {
    sched_yield();
    return rested(false);
  }
  sleepers_.begin();
  sleepers_.announce(*sleeper);
  if (busy_but(nullptr)) {
    sleepers_.withdraw(*sleeper);
    sched_yield();
    return rested(false);
  }
  sleepers_.sleep(*sleeper, nap_milliseconds);
  rested(false);
}

/// Counts a rest in all lanes that no thread uses. The caller waits or tests for operations in any lane.
void Lanes::rested(bool slept, bool waits) {
  for (Engine* const engine : engines_) {
    if (!engine->lock().try_acquire()) continue;
    engine->liveness().rested(slept, waits);
    engine->lock().release();
  }
}

/// Whether a lane other than `mine` has work to do, or a thread uses it that may leave it at any moment.
bool Lanes::busy_but(const Engine* mine) {
  for (Engine* const engine : engines_) {
    if (engine == mine) continue;
    if (!engine->lock().try_acquire()) return true;
    const bool busy = engine->outbox().waits_for_room() || engine->loop().anything_ready();
    engine->lock().release();
    if (busy) return true;
  }
  return false;
}

}  // namespace bowline::proto
