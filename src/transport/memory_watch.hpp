// SPDX-License-Identifier: BSD-3-Clause
// MemoryWatch: notifies a registration cache of memory that the program unmaps. UCM (a library of UCX) hooks into the
// functions that unmap memory, of the program and of its allocators.
#pragma once

#include <string>

#include "transport/registration_cache.hpp"

namespace bowline::transport {

class MemoryWatch {
 public:
  /// Begins to notify `cache`, which must outlive the watch. Loads UCM in the first call; it stays loaded until the
  /// process ends. Throws Error (MPI_ERR_OTHER) if the functions cannot be watched.
  explicit MemoryWatch(RegistrationCache& cache);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

 private:
  RegistrationCache& cache_;
};

}  // namespace bowline::transport
