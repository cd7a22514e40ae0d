// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/member_groups.hpp"

#include <algorithm>
#include <numeric>

namespace bowline::coll {

MemberGroups::MemberGroups(std::span<const int> caches, int rank) : rank_(rank) {
  std::vector<int> members(caches.size());
  std::iota(members.begin(), members.end(), 0);
  const bool known = std::ranges::none_of(caches, [](int cache) { return cache < 0; });
  const auto cache_of = [&](int member) { return known ? caches[static_cast<std::size_t>(member)] : 0; };
  std::ranges::stable_sort(members, {}, cache_of);
  for (auto begin = members.begin(); begin != members.end();) {
    const auto shares_cache = [&](int member) { return cache_of(member) == cache_of(*begin); };
    const auto last = std::find_if_not(begin, members.end(), shares_cache);
    const auto end = begin + std::min(last - begin, static_cast<std::ptrdiff_t>(most_members));
    leaders_.push_back(*begin);
    if (std::find(begin, end, rank) != end) group_.assign(begin, end);
    begin = end;
  }
}

}  // namespace bowline::coll
