// SPDX-License-Identifier: BSD-3-Clause
#include "base/profile/call_sites.hpp"

namespace bowline {
namespace {

constexpr std::size_t most_probes = 32;

/// Two threads may find the same unused site; both then write the same.
void name(CallSites::Site& site, const MpiCall& call) noexcept {
  site.function.store(call.function, std::memory_order_relaxed);
  site.returns_to.store(call.returns_to, std::memory_order_relaxed);
}

/// Whether the site belongs to this key, if need be from now on.
bool takes(CallSites::Site& site, std::uintptr_t key) noexcept {
  std::uintptr_t owner = 0;
  return site.key.compare_exchange_strong(owner, key, std::memory_order_acq_rel, std::memory_order_acquire) ||
         owner == key;
}

}  // namespace

void CallSites::Site::add_wait(std::uint64_t nanoseconds, std::int32_t rank) noexcept {
  waited.fetch_add(nanoseconds, std::memory_order_relaxed);
  if (rank < 0) return;
  for (Partner& each : partners) {
    std::int32_t mark = 0;
    if (!each.mark.compare_exchange_strong(mark, rank + 1, std::memory_order_relaxed, std::memory_order_relaxed) &&
        mark != rank + 1)
      continue;
    each.waited.fetch_add(nanoseconds, std::memory_order_relaxed);
    return;
  }
}

/// Of many places the last ones share a site.
CallSites::Site& CallSites::of(const char* function, const std::string& place) {
  const std::lock_guard hold(mutex_);
  if (named_.size() >= most_sites) return of({.function = function, .returns_to = 0});
  const auto [entry, made] = named_.try_emplace({place, function});
  if (made) {
    entry->second.place = place;
    entry->second.function.store(function, std::memory_order_relaxed);
  }
  return entry->second;
}

/// A call whose place is not known counts for its function.
CallSites::Site& CallSites::of(const MpiCall& call) noexcept {
  const std::uintptr_t key = call.returns_to != 0 ? call.returns_to : reinterpret_cast<std::uintptr_t>(call.function);
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15;  // Fibonacci hashing (Knuth, vol. 3, 6.4)
  constexpr unsigned shift = 40;
  const std::uint64_t start = key * spread >> shift;
  for (std::size_t i = 0; i < most_probes; ++i) {
    Site& site = sites_[(start + i) % most_sites];
    if (!takes(site, key)) continue;
    if (site.function.load(std::memory_order_relaxed) == nullptr) name(site, call);
    return site;
  }
  Site& rest = sites_[most_sites];
  if (takes(rest, 1)) name(rest, {.function = "other calls", .returns_to = 0});
  return rest;
}

}  // namespace bowline
