// SPDX-License-Identifier: BSD-3-Clause
// The thread that tries waiting requests again, as an adapter does by itself.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "support/fabric/execution.hpp"

namespace fabric {
namespace {

struct Retrier {
  std::mutex mutex;
  std::condition_variable woken;
  bool wanted = false;
  bool started = false;
};

// Not destroyed: the thread runs until the process ends.
Retrier& retrier() {
  static auto* made = new Retrier;
  return *made;
}

[[noreturn]] void run() {
  Retrier& own = retrier();
  constexpr auto pause = std::chrono::microseconds(100);  // as an adapter waits before it sends a packet again
  for (;;) {
    {
      std::unique_lock guard(own.mutex);
      own.woken.wait(guard, [&own] { return own.wanted; });
      own.wanted = false;
    }
    for (bool more = true; more;) {
      std::this_thread::sleep_for(pause);
      const SubnetLock lock;
      work_off_all();
      more = anything_waits();
    }
  }
}

}  // namespace

void wake_retrier() {
  Retrier& own = retrier();
  const std::lock_guard guard(own.mutex);
  own.wanted = true;
  if (!own.started) std::thread(run).detach();
  own.started = true;
  own.woken.notify_one();
}

}  // namespace fabric
