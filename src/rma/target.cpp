// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target.hpp"

#include <utility>

namespace bowline::rma {

Target& TargetTable::add(int rank) {
  if (2 * (all_.size() + 1) > places_.size()) {
    std::vector<Target*> more(places_.empty() ? 8 : 2 * places_.size());
    places_.swap(more);
    for (const auto& each : all_) enter(*each);
  }
  Target& made = *all_.emplace_back(std::make_unique<Target>());
  made.rank = rank;
  enter(made);
  return made;
}

void TargetTable::enter(Target& target) noexcept {
  std::size_t place = first_place(target.rank);
  while (places_[place] != nullptr) place = next(place);
  places_[place] = &target;
}

}  // namespace bowline::rma
