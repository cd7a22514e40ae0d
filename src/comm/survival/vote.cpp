// SPDX-License-Identifier: BSD-3-Clause
#include "comm/survival/vote.hpp"

#include <algorithm>
#include <iterator>

namespace bowline::comm {

void Vote::add(const Vote& other) {
  if (form != other.form) form = Form::mixed;
  for (std::size_t side = 0; side < flags.size(); ++side) flags[side] &= other.flags[side];
  if (offer && other.offer) {
    offer->add(*other.offer);
  } else {
    offer.reset();
  }
  std::vector<int> all;
  std::ranges::set_union(failed, other.failed, std::back_inserter(all));
  std::vector<int> common;
  std::ranges::set_intersection(acknowledged, other.acknowledged, std::back_inserter(common));
  failed.swap(all);
  acknowledged.swap(common);
}

void Vote::note_failed(int rank) {
  const auto place = std::ranges::lower_bound(failed, rank);
  if (place == failed.end() || *place != rank) failed.insert(place, rank);
}

bool Vote::has_news() const noexcept {
  return !std::ranges::includes(acknowledged, failed);
}

}  // namespace bowline::comm
