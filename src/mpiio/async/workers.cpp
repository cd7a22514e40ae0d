// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/async/workers.hpp"

#include <exception>
#include <utility>

#include "base/log.hpp"
#include "base/signals_blocked.hpp"
#include "base/tunable.hpp"

namespace bowline::mpiio {
namespace {

Tunable<std::size_t> io_threads(Category::files, "io_threads", 2, 1, 64,
                                "most threads of a process that execute non-blocking accesses to files");

// never destroyed, not even by exit(): a program may end while its accesses go on.
constinit std::mutex making;
constinit Workers* workers = nullptr;

}  // namespace

Workers& Workers::here() {
  const std::lock_guard hold(making);
  if (workers == nullptr) workers = new Workers(io_threads.value());
  return *workers;
}

void Workers::end() {
  const std::lock_guard hold(making);
  delete std::exchange(workers, nullptr);
}

Workers::~Workers() {
  {
    const std::lock_guard hold(mutex_);
    stop_ = true;
  }
  something_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::start(Work& work) {
  {
    const std::lock_guard hold(mutex_);
    const bool served = idle_ > queue_.size() || (threads_.size() < most_ && add_thread()) || !threads_.empty();
    if (served) {
      queue_.push_back(&work);
      something_.notify_one();
      return;
    }
  }
  work.execute();
  work.finish();
}

bool Workers::add_thread() noexcept {
  try {
    const SignalsBlocked during;
    threads_.emplace_back([this] { run(); });
    return true;
  } catch (const std::exception& error) {
    log::info("no thread can be made for accesses to files: {}", error.what());
    return false;
  }
}

void Workers::run() {
  std::unique_lock hold(mutex_);
  for (;;) {
    ++idle_;
    something_.wait(hold, [this] { return stop_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    Work& work = *queue_.front();
    queue_.pop_front();
    hold.unlock();
    work.execute();
    work.finish();
    hold.lock();
  }
}

}  // namespace bowline::mpiio
