// SPDX-License-Identifier: BSD-3-Clause
// proto/progress_thread: operations end although the program computes, whatever state the thread is in when one starts;
// and the thread ends.
#include "proto/progress_thread.hpp"

#include "base/cpu_relax.hpp"
#include "explore.hpp"
#include "proto/engine.hpp"
#include "proto/sleeping_place.hpp"

namespace bowline::proto {

Lanes::Round Lanes::look_after() {
  Round round;
  if (!engine_->lock().try_acquire()) return {.occupied = true};
  round.events = engine_->progress();
  round.outstanding = round.events != 0 || engine_->outstanding();
  engine_->lock().release();
  return round;
}

/// As long as it likes: its time may be over at any moment.
void Lanes::doze(std::chrono::milliseconds) {
  transport::Sleeper& place = *sleepers_.place();
  sleepers_.begin();
  sleepers_.announce(place);
  if (busy() || rl::rand(4) == 0)
    sleepers_.withdraw(place);
  else
    sleepers_.sleep(place, 100);
}

bool Lanes::busy() {
  if (!engine_->lock().try_acquire()) return true;
  const bool ready = engine_->anything_ready();
  engine_->lock().release();
  return ready;
}

namespace {

/// Thread 0 starts operations and computes until they have ended; the progress thread ends them, when thread 2 lets
/// their events come.
struct Computing : model::Suite<Computing, 3> {
  static constexpr int operations = 2;

  SleepingPlace place;
  Lanes lanes{&place};
  Engine engine{lanes};
  model::Plain<int> result;

  Computing() { lanes.add(engine); }
  void run(unsigned index) {
    if (index == 0)
      compute();
    else if (index == 1)
      Thread::run();
    else
      for (int i = 0; i < operations; ++i) engine.event();
  }
  void compute() {
    ProgressThread thread(lanes);
    for (int i = 0; i < operations; ++i) {
      Flag done;
      be_idle();
      {
        const LockGuard call(engine.lock());
        engine.begin(done);
        ProgressThread::operation_begun();
        if (i == 1) stay();
      }
      while (!done) cpu_relax();
    }
    be_idle();
  }
  /// Lets the thread fall asleep, or not.
  void be_idle() {
    for (unsigned left = rl::rand(2) * 30; left > 0; --left) yield_thread();
  }
  /// A call that waits for something else, and leaves the operation pending.
  void stay() {
    for (int i = 0; i < 3; ++i) yield_thread();
    ProgressThread::wait_ended(engine);
  }
};

TEST(ProgressThread, EndsOperationsWhileTheProgramComputes) {
  model::explore<Computing>(20'000);
}

}  // namespace
}  // namespace bowline::proto
