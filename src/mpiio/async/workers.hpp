// SPDX-License-Identifier: BSD-3-Clause
// Workers: threads that execute work. They start when there is work, sleep when there is none, and end in MPI_Finalize.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "mpiio/async/work.hpp"

namespace bowline::mpiio {

class Workers {
 public:
  /// The workers of this process.
  static Workers& here();
  /// Ends the workers' threads, if there are any. No file is open, so there is no work.
  static void end();

  /// At most `most` threads.
  explicit Workers(std::size_t most) noexcept : most_(most) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  /// Waits until all work has finished.
  ~Workers();

  /// Any thread may call it. If the system has no thread left, the caller executes the work.
  void start(Work& work);

 private:
  void run();
  bool add_thread() noexcept;

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable something_;
  std::deque<Work*> queue_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stop_ = false;
};

}  // namespace bowline::mpiio
