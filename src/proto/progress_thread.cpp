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

// How many fruitless rounds pass before the thread sleeps: it may be taking the core from the program.
constexpr unsigned rounds_before_sleep = 64;
// How long it stands back from a thread that is in a lane. No longer than a transfer that pays for the thread takes:
// that thread may begin one, leave and compute.
constexpr auto stand_back = 20us;
constexpr unsigned long timer_slack_nanoseconds = 1000;

}  // namespace

ProgressThread::~ProgressThread() {
  stop_.store(true);
  wake();
  lanes_.wake_sleepers();
  thread_.join();
}

void ProgressThread::wake() noexcept {
  asleep.store(false);
  asleep.notify_one();
}

void ProgressThread::run() {
  prctl(PR_SET_TIMERSLACK, timer_slack_nanoseconds);
  const unsigned patience = lanes_[0].wait_policy().shared_cores ? 0 : rounds_before_sleep;
  unsigned fruitless = 0;
  while (!stop_.load()) {
    const Lanes::Round round = lanes_.look_after();
    if (round.events != 0) {
      fruitless = 0;
    } else if (round.occupied) {
      std::this_thread::sleep_for(stand_back);
    } else if (!round.outstanding) {
      sleep_until_begun();
      fruitless = 0;
    } else if (fruitless < patience) {
      ++fruitless;
      cpu_relax();
    } else {
      lanes_.doze();
    }
  }
}

/// Whoever begins an operation has its lane's lock meanwhile. If that is before this thread's last look at the lane, it
/// sees the operation; if after, the other sees that this thread sleeps.
void ProgressThread::sleep_until_begun() {
  FramePool::trim();  // coroutines that others have begun, and that have ended here, have left their frames here
  asleep.store(true);
  const Lanes::Round last = lanes_.look_after();
  if (last.events != 0 || last.occupied || last.outstanding || stop_.load()) return asleep.store(false);
  asleep.wait(true);
}

}  // namespace bowline::proto
