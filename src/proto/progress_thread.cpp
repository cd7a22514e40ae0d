// SPDX-License-Identifier: BSD-3-Clause
#include "proto/progress_thread.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <mutex>

#include "base/cpu_relax.hpp"
#include "base/task.hpp"
#include "base/this_thread.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

using namespace std::chrono_literals;

// How long the thread stays away from a lane that another thread uses. At first the pause is no longer than a transfer
// that is worth a progress thread, because the other thread may start a transfer, leave and compute. The pause grows
// while the other thread stays, and finally lasts until this thread is notified.
constexpr auto shortest_stand_back = 20us;
constexpr auto longest_stand_back = 160us;
constexpr unsigned long timer_slack_nanoseconds = 1000;

constexpr unsigned rounds_before_sleep = 64;  // without events, if every thread may have a core

}  // namespace

ProgressThread::ProgressThread(Lanes& lanes, std::chrono::milliseconds nap) : lanes_(lanes), nap_(nap) {
  served = &lanes;  // first, because a call that finds the thread dozing needs the lanes
  thread_ = Thread([this] { run(); });
}

ProgressThread::~ProgressThread() {
  stop_.store(true);
  wake();
  lanes_.wake_sleepers();
  thread_.join();
  served = nullptr;
}

void ProgressThread::wake() noexcept {
  State was;
  {
    const std::lock_guard hold(waking);
    was = state.exchange(State::awake);
  }
  if (was == State::dozes) {
    if (Lanes* const lanes = served.load()) lanes->wake_sleepers();
    return;
  }
  woken.notify_one();
}

void ProgressThread::take_over(const Engine& lane) noexcept {
  if (lane.outstanding()) wake();
}

void ProgressThread::run() {
  own = true;
  prctl(PR_SET_TIMERSLACK, timer_slack_nanoseconds);
  const unsigned patience = lanes_[0].loop().policy().shared_cores ? 0 : rounds_before_sleep;
  unsigned fruitless = 0;
  auto next_stand_back = shortest_stand_back;
  while (!stop_.load()) {
    const Lanes::Round round = lanes_.look_after();
    if (!round.occupied) next_stand_back = shortest_stand_back;
    if (round.events != 0) {
      fruitless = 0;
      continue;
    }
    if (fruitless++ < patience) {
      cpu_relax();
      continue;
    }
    if (round.occupied && next_stand_back <= longest_stand_back) {
      sleep_thread(next_stand_back);
      next_stand_back *= 2;
    } else if (round.occupied) {
      if (stand_back()) next_stand_back = shortest_stand_back;
    } else {
      FramePool::trim();  // the frames of coroutines that other threads have started and that have ended in this thread
      if (round.outstanding || round.reachable) {
        doze();
      } else {
        sleep_until_begun();
      }
    }
    fruitless = 0;
  }
}

/// An operation that starts meanwhile has no sleep notice that would wake this thread, so the call that starts the
/// operation wakes it.
void ProgressThread::doze() {
  state.store(State::dozes);
  lanes_.doze(nap_);
  state.store(State::awake);
}

/// Stays away from a thread that stays in a lane; returns true if this thread is needed again. The other thread
/// notifies the progress thread at the end of its wait, and is still in the lane for a moment then. If this thread
/// begins to stand back in that moment, it does so for the whole nap.
bool ProgressThread::stand_back() {
  state.store(State::stands_back);
  const Lanes::Round last = lanes_.look_after();
  if (last.events != 0 || !last.occupied || stop_.load()) {
    state.store(State::awake);
    return true;
  }
  std::unique_lock hold(waking);
  const bool told = woken.wait_for(hold, nap_, [] { return state.load() == State::awake; });
  state.store(State::awake);
  return told;
}

/// A call that starts an operation holds its lane's lock. If the call starts the operation before this thread's last
/// look at the lane, this thread sees the operation; otherwise the call sees that this thread sleeps.
void ProgressThread::sleep_until_begun() {
  state.store(State::sleeps);
  const Lanes::Round last = lanes_.look_after();
  if (last.events != 0 || last.occupied || last.outstanding || last.reachable || stop_.load())
    return state.store(State::awake);
  std::unique_lock hold(waking);
  woken.wait(hold, [] { return state.load() == State::awake; });
}

}  // namespace bowline::proto
