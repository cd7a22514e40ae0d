// SPDX-License-Identifier: BSD-3-Clause
// WatchedCache: a registration cache that hears of unmapped memory, made when memory is first registered.
#pragma once

#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>

#include "transport/memory_watch.hpp"
#include "transport/registration_cache.hpp"

namespace bowline::transport {

class WatchedCache {
 public:
  /// Keeps as much memory registered as the tunable `registration_cache_bytes` says, at most `most_bytes`. The
  /// registrar must outlive the cache.
  explicit WatchedCache(Registrar& registrar, std::size_t most_bytes = std::numeric_limits<std::size_t>::max()) noexcept
      : registrar_(registrar), most_bytes_(most_bytes) {}

  /// The cache. If unmapped memory cannot be noticed, it keeps nothing, and the first call warns of that. Any thread
  /// may call it.
  RegistrationCache& operator*() {
    std::call_once(made_, [this] { make(); });
    return *cache_;
  }
  /// The cache; to be called only after the first use of operator*.
  RegistrationCache& made() noexcept { return *cache_; }

 private:
  void make();

  Registrar& registrar_;
  std::size_t most_bytes_;
  std::once_flag made_;
  std::optional<RegistrationCache> cache_;
  std::optional<MemoryWatch> watch_;  ///< goes first
};

}  // namespace bowline::transport
