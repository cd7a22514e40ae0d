// SPDX-License-Identifier: BSD-3-Clause
// Replaces memory_watch.cpp in builds without UCX.
#include "base/error.hpp"
#include "transport/memory_watch.hpp"

namespace bowline::transport {

MemoryWatch::MemoryWatch(RegistrationCache& cache) : cache_(cache) {
  static_cast<void>(cache_);
  throw Error(ErrorClass::other, "Bowline was built without UCX, whose UCM does it (Debian: libucx-dev)");
}

MemoryWatch::~MemoryWatch() = default;

}  // namespace bowline::transport
