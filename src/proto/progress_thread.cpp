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

// How long it stands back from a thread that is in a lane: at first no longer than a transfer takes that pays for the
// thread, because that thread may begin one, leave and compute; longer where it stays, and then until it is told.
constexpr auto shortest_stand_back = 20us;
constexpr auto longest_stand_back = 160us;
constexpr unsigned long timer_slack_nanoseconds = 1000;

/// How long the thread goes on looking before it sleeps. To be woken takes as long as many operations do, so it yields
/// where it can; but if somebody else runs on its core meanwhile, a yield may take a whole time slice.
class Patience {
 public:
  explicit Patience(bool shared_cores) noexcept : shared_cores_(shared_cores) {}

  void renew() noexcept { rounds_ = 0; }
  /// After a fruitless round: whether to try once more. `occupied`: another thread was in a lane then.
  bool lasts(bool occupied) noexcept {
    if (shared_cores_) return false;
    if (yielded_late_ && !occupied) wanted_until_ = Clock::now() + memory;  // it computes
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
  static constexpr auto late = 50us;      // a yield that takes longer has let somebody else run
  static constexpr auto memory = 20ms;    // of that

  bool shared_cores_;
  bool yielded_late_ = false;
  unsigned rounds_ = 0;
  Clock::time_point yields_until_;
  Clock::time_point wanted_until_;  ///< the core
};

}  // namespace

ProgressThread::ProgressThread(Lanes& lanes, std::chrono::milliseconds nap) : lanes_(lanes), nap_(nap) {
  served = &lanes;  // first: whoever finds the thread dozing needs them
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

/// What begins now has notices nowhere that would wake this thread, so whoever begins it does.
void ProgressThread::doze() {
  state.store(State::dozes);
  lanes_.doze(nap_);
  state.store(State::awake);
}

/// From a thread that stays; true if it is to go on. That thread tells of what it leaves behind when its wait has
/// ended, and is still in the lane for a moment then: who begins to stand back in that moment does so for the whole
/// nap.
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

/// Whoever begins an operation has its lane's lock meanwhile. If that is before this thread's last look at the lane, it
/// sees the operation; if after, the other sees that this thread sleeps.
void ProgressThread::sleep_until_begun() {
  FramePool::trim();  // coroutines that others have begun, and that have ended here, have left their frames here
  state.store(State::sleeps);
  const Lanes::Round last = lanes_.look_after();
  if (last.events != 0 || last.occupied || last.outstanding || stop_.load()) return state.store(State::awake);
  std::unique_lock hold(waking);
  woken.wait(hold, [] { return state.load() == State::awake; });
}

}  // namespace bowline::proto
