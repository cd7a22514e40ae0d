// SPDX-License-Identifier: BSD-3-Clause
#include "transport/watched_cache.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"

namespace bowline::transport {
namespace {

Tunable<std::size_t> cache_bytes(Category::networks, "registration_cache_bytes", std::size_t{4} << 30, 0,
                                 std::size_t{1} << 40,
                                 "memory that stays registered with network adapters between transfers, in bytes; 0: "
                                 "memory is registered anew for every transfer");
constexpr std::size_t cache_regions = 1024;

}  // namespace

void WatchedCache::make() {
  cache_.emplace(registrar_, std::min(cache_bytes.value(), most_bytes_), cache_regions);
  if (cache_bytes.value() == 0) return;  // nothing stays registered, so no unmapping need be noticed
  try {
    watch_.emplace(*cache_);
  } catch (const Error& error) {
    log::warning(
        "memory is registered anew for every transfer, because memory that the program unmaps cannot be "
        "noticed: {}",
        error.what());
    cache_.emplace(registrar_, 0, 0);
  }
}

}  // namespace bowline::transport
