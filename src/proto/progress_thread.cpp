// SPDX-License-Identifier: BSD-3-Clause
#include "proto/progress_thread.hpp"

#include <sys/prctl.h>

#include <chrono>

#include "base/task.hpp"
#include "base/wait.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// How long the thread stays away from a lane that another thread uses. At first no longer than a transfer that is worth
// a progress thread, because the other thread may start one, leave and compute. Longer if the other thread stays, and
// finally until it is notified.
constexpr auto shortest_stand_back = 20us;
constexpr auto longest_stand_back = 160us;
constexpr unsigned long timer_slack_nanoseconds = 1000;

/// How long the thread polls before it sleeps. A wake-up takes as long as many operations do, so the thread yields
/// instead where it can. If another process runs on its core, however, a yield may take a whole time slice.
class Patience {
 public:
  explicit Patience(bool shared_cores) noexcept : shared_cores_(shared_cores) {}

  void renew() noexcept { rounds_ = 0; }
  /// After a round without events: whether to poll again. `occupied`: another thread was in a lane during that round.
  bool lasts(bool occupied) noexcept {
    if (shared_cores_) return false;
    if (yielded_late_ && !occupied) wanted_until_ = Clock::now() + memory;  // the thread that ran meanwhile computes
    yielded_late_ = false;
    if (rounds_++ < spins) {
      cpu_relax();
      return true;
    }
    if (occupied) return false;
    const auto before = Clock::now();
    if (rounds_ == spins + 1) yields_until_ = before + longest;
    if (before > yields_until_ || before < wanted_until_) return false;
    std::this_thread::yield();
    yielded_late_ = Clock::now() - before > late;
    return true;
  }

 private:
  static constexpr unsigned spins = 64;
  static constexpr auto longest = 200us;  // with yields
  static constexpr auto late = 50us;      // a longer yield has let another thread run
  static constexpr auto memory = 20ms;    // for so long a late yield prevents others

  bool shared_cores_;
  bool yielded_late_ = false;
  unsigned rounds_ = 0;
  Clock::time_point yields_until_;
  Clock::time_point wanted_until_;  ///< until then another thread is assumed to need the core
};

}  // namespace

ProgressThread::ProgressThread(Lanes& lanes, std::chrono::milliseconds nap) : lanes_(lanes), nap_(nap) {
  served = &lanes;  // first: a call that finds the thread dozing needs them
  thread_ = std::thread([this] { run(); });
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
  Patience patience(lanes_[0].wait_policy().shared_cores);
  auto next_stand_back = shortest_stand_back;
  while (!stop_.load()) {
    const Lanes::Round round = lanes_.look_after();
    if (round.events != 0) patience.renew();
    if (!round.occupied) next_stand_back = shortest_stand_back;
    if (round.events != 0 || patience.lasts(round.occupied)) continue;
    if (round.occupied && next_stand_back <= longest_stand_back) {
      std::this_thread::sleep_for(next_stand_back);
      next_stand_back *= 2;
    } else if (round.occupied) {
      if (stand_back()) next_stand_back = shortest_stand_back;
    } else if (round.outstanding) {
      doze();
    } else {
      sleep_until_begun();
    }
    patience.renew();
  }
}

/// An operation that starts meanwhile has no sleep notice that would wake this thread, so the call that starts it does.
void ProgressThread::doze() {
  state.store(State::dozes);
  lanes_.doze(nap_);
  state.store(State::awake);
}

/// Stays away from a thread that stays in a lane; returns true if this thread is needed again. The other thread
/// notifies this one at the end of its wait, and is still in the lane for a moment then. If this thread begins to stand
/// back in that moment, it does so for the whole nap.
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

/// A call that starts an operation holds its lane's lock. If it does so before this thread's last look at the lane,
/// this thread sees the operation; otherwise the call sees that this thread sleeps.
void ProgressThread::sleep_until_begun() {
  // Frees the frames of coroutines that other threads have started and that have ended in this thread.
  FramePool::trim();
  state.store(State::sleeps);
  const Lanes::Round last = lanes_.look_after();
  if (last.events != 0 || last.occupied || last.outstanding || stop_.load()) return state.store(State::awake);
  std::unique_lock hold(waking);
  woken.wait(hold, [] { return state.load() == State::awake; });
}

}  // namespace bowline::proto
