// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/member_groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bowline::coll {

MemberGroups::MemberGroups(std::span<const int> caches, int rank) : rank_(rank), members_(caches.size()) {
  group_.reserve(std::min(caches.size(), most_members));
  leaders_.reserve(caches.size());
  divide(caches);
}

void MemberGroups::divide(std::span<const int> caches) noexcept {
  std::iota(members_.begin(), members_.end(), 0);
  leaders_.clear();
  const bool known = std::ranges::none_of(caches, [](int cache) { return cache < 0; });
  const auto cache_of = [&](int member) { return known ? caches[static_cast<std::size_t>(member)] : 0; };
  const auto key_of = [&](int member) { return std::pair(cache_of(member), member); };
  std::ranges::sort(members_, {}, key_of);
  for (auto begin = members_.begin(); begin != members_.end();) {
    const auto shares_cache = [&](int member) { return cache_of(member) == cache_of(*begin); };
    const auto last = std::find_if_not(begin, members_.end(), shares_cache);
    const auto end = begin + std::min(last - begin, static_cast<std::ptrdiff_t>(most_members));
    leaders_.push_back(*begin);
    if (std::find(begin, end, rank_) != end) group_.assign(begin, end);
    begin = end;
  }
}

}  // namespace bowline::coll
