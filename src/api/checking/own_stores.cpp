// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/own_stores.hpp"

#include <algorithm>

namespace bowline::api::checking {
namespace {

using Kind = WindowAccess::Kind;
using Epoch = WindowAccess::Epoch;

/// How many accesses write to each byte: none, one, or several.
std::vector<std::uint8_t> count_writers(std::span<const WindowAccess> accesses, std::size_t bytes) {
  constexpr std::uint8_t several = 2;
  std::vector<std::uint8_t> writers(bytes);
  for (const WindowAccess& access : accesses) {
    if (!access.writes()) continue;
    for (std::uint64_t at = access.begin; at < std::min<std::uint64_t>(access.end, bytes); ++at)
      writers[at] = std::min<std::uint8_t>(several, static_cast<std::uint8_t>(writers[at] + 1));
  }
  return writers;
}

/// Whether no order between the access and stores of the target is possible. The access comes after no store, because
/// its origin knows of none. No store comes after the access: within a fence's epoch it is not complete; with locks it
/// may be, but the target does not know.
bool is_concurrent_with_stores(const WindowAccess& access, const TargetFacts& target) noexcept {
  if (access.origin == target.rank || access.informed || access.end <= access.begin) return false;
  if (access.epoch == Epoch::fence) return true;
  if (access.epoch != Epoch::lock || access.writes() || target.informed || target.locked_exclusively) return false;
  return !(access.exclusive && target.locked_shared);
}

}  // namespace

std::vector<OwnStore> find_own_stores(std::span<const std::byte> before, std::span<const std::byte> now,
                                      std::span<const WindowAccess> accesses, const TargetFacts& target,
                                      ToldPairs& told) {
  std::vector<OwnStore> found;
  std::vector<std::uint8_t> writers;
  for (const WindowAccess& access : accesses) {
    if (!is_concurrent_with_stores(access, target) || access.end > now.size()) continue;
    if (access.writes() && !(access.kind == Kind::put && access.has_digest)) continue;
    if (writers.empty()) writers = count_writers(accesses, now.size());
    std::uint64_t changed = 0;
    if (access.writes()) {
      const bool alone = std::all_of(writers.begin() + static_cast<std::ptrdiff_t>(access.begin),
                                     writers.begin() + static_cast<std::ptrdiff_t>(access.end),
                                     [](std::uint8_t count) { return count == 1; });
      const std::uint64_t length = access.end - access.begin;
      if (alone && digest_on(digest_start, now.data() + access.begin, length) != access.digest) changed = length;
    } else {
      for (std::uint64_t at = access.begin; at < access.end; ++at)
        changed += before[at] != now[at] && writers[at] == 0 ? 1 : 0;
    }
    if (changed > 0 && told.insert({-1, 0, access.origin, access.call}).second) found.push_back({access, changed});
  }
  return found;
}

}  // namespace bowline::api::checking
