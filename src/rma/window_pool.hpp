// SPDX-License-Identifier: BSD-3-Clause
// WindowPool: the memory of window objects. It is never returned to the system, so that a stale handle is recognized.
#pragma once

#include <mutex>

#include "base/pool.hpp"
#include "rma/window.hpp"

namespace bowline::rma {

/// Thread-safe.
class WindowPool {
 public:
  static WindowPool& the();
  Window& make(comm::Communicator& comm, const WindowParameters& parameters);
  void destroy(Window& window) noexcept;

 private:
  struct Maker {};
  /// Gives the pool access to the constructor.
  struct Made : Window {
    Made(Maker, comm::Communicator& comm, const WindowParameters& parameters) : Window(comm, parameters) {}
  };

  std::mutex mutex_;
  Pool<Made> pool_;
};

}  // namespace bowline::rma
