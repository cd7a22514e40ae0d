// SPDX-License-Identifier: BSD-3-Clause
#include "comm/index_space.hpp"

#include <algorithm>

namespace bowline::comm {

IndexSpace::IndexSpace(std::size_t limit) : left_(limit + 3) {
  for (const std::uint32_t index : {world, self, meeting_place}) take(index);
}

std::uint64_t& IndexSpace::word(std::uint32_t index) noexcept {
  return used_[index % classes][index / classes / 64];
}

std::uint64_t IndexSpace::mask(std::uint32_t index) noexcept {
  return std::uint64_t{1} << (index / classes % 64);
}

std::optional<IndexSpace::Bits> IndexSpace::hold(std::uint32_t class_number) {
  const std::lock_guard guard(mutex_);
  if (held_[class_number]) return {};
  held_[class_number] = true;
  Bits free{};
  if (left_ == 0) return free;
  for (std::size_t i = 0; i < free.size(); ++i) free[i] = ~used_[class_number][i];
  return free;
}

void IndexSpace::let_go(std::uint32_t class_number) noexcept {
  const std::lock_guard guard(mutex_);
  held_[class_number] = false;
}

std::uint32_t IndexSpace::generation(std::uint32_t class_number) {
  const std::lock_guard guard(mutex_);
  return generations_[class_number];
}

void IndexSpace::note_generation(std::uint32_t class_number, std::uint32_t generation) {
  const std::lock_guard guard(mutex_);
  generations_[class_number] = std::max(generations_[class_number], generation);
}

void IndexSpace::take(std::uint32_t index) noexcept {
  const std::lock_guard guard(mutex_);
  word(index) |= mask(index);
  if (left_ > 0) --left_;
}

void IndexSpace::give_back(std::uint32_t index) noexcept {
  const std::lock_guard guard(mutex_);
  word(index) &= ~mask(index);
  ++left_;
}

}  // namespace bowline::comm
