// SPDX-License-Identifier: BSD-3-Clause
#include "comm/index_offer.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "proto/context.hpp"

namespace bowline::comm {
namespace {

static_assert(IndexSpace::size <= proto::max_indices);

constexpr std::uint32_t patience = 8;  // rounds over all classes before the lack of indices is an error

std::optional<std::uint32_t> lowest(const IndexSpace::Bits& bits) noexcept {
  const auto word = std::ranges::find_if(bits, [](std::uint64_t each) { return each != 0; });
  if (word == bits.end()) return {};
  return static_cast<std::uint32_t>((word - bits.begin()) * 64 + std::countr_zero(*word));
}

}  // namespace

void IndexOffer::add(const IndexOffer& other) noexcept {
  std::ranges::transform(free, other.free, free.begin(), std::bit_and<>());
  lanes &= other.lanes;
  undisturbed &= other.undisturbed;
  generation = std::max(generation, other.generation);
}

IndexOffer ClassHold::offer(unsigned lanes) const noexcept {
  const std::uint64_t lane_bits = (std::uint64_t{1} << lanes) - 1;
  const std::uint32_t generation = space_.generation(class_);
  if (!free_) return {.lanes = lane_bits, .undisturbed = 0, .generation = generation};
  return {.free = *free_, .lanes = lane_bits, .generation = generation};
}

std::optional<ContextId> ClassHold::take(const IndexOffer& all) const {
  const auto bit = lowest(all.free);
  if (!bit) return {};
  ContextId id;
  id.index = IndexSpace::index(class_, *bit);
  id.lane = id.index % static_cast<unsigned>(std::popcount(all.lanes));
  id.generation = all.generation + 1;
  space_.note_generation(class_, id.generation);
  space_.take(id.index);
  return id;
}

void ClassSearch::next(const IndexOffer& all) {
  disturbed_ = disturbed_ || all.undisturbed == 0;
  if (attempt_++ % IndexSpace::classes != IndexSpace::classes - 1) return;
  // Freed communicators return their indices with a delay.
  if (!std::exchange(disturbed_, false) && attempt_ > patience * IndexSpace::classes + 1) {
    throw Error(ErrorClass::other,
                "no index for a new communicator is free in all its members: too many communicators are alive; free "
                "those that are not needed, with none of their operations left");
  }
}

}  // namespace bowline::comm
