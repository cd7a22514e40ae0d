// SPDX-License-Identifier: BSD-3-Clause
// The time before the first rank is started, in which the job's process calls libraries that may take long or hang.
#pragma once
#include <functional>
#include <thread>

namespace bowline::launcher {

/// While the object lives, a thread ends this process if the user asks for the end of the job, or if mpiexec is gone.
/// No rank and no other child may exist meanwhile. The calling thread must have the signals of signals.hpp blocked. A
/// signal that arrives too late for the thread stays pending.
class Preparation {
 public:
  /// `owner_fd`: at end of file when mpiexec is gone. `clean_up`: the thread calls it before it ends the process.
  /// Throws LaunchError.
  Preparation(int owner_fd, std::function<void()> clean_up);
  ~Preparation();
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

 private:
  void watch() const;

  int owner_fd_;
  std::function<void()> clean_up_;
  int signal_fd_;
  int over_fd_;  ///< readable when the object is destroyed
  std::thread thread_;
};

}  // namespace bowline::launcher
