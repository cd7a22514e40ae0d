// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/section.hpp"

namespace bowline::dtype {
namespace {

struct Division {
  std::ptrdiff_t quotient;
  std::ptrdiff_t remainder;  ///< never negative
};

Division divide(std::ptrdiff_t number, std::ptrdiff_t by) noexcept {
  Division result{number / by, number % by};
  if (result.remainder < 0) result = {result.quotient - 1, result.remainder + by};
  return result;
}

}  // namespace

void Section::simplify() noexcept {
  int kept = 0;
  for (int i = 0; i < dimensions; ++i) {
    const Dimension& next = dimension[static_cast<std::size_t>(i)];
    const bool last = i == dimensions - 1;
    if (next.extent == 1 && !last) continue;
    Dimension& before = dimension[static_cast<std::size_t>(kept == 0 ? 0 : kept - 1)];
    if (kept == 0 && next.stride == block && !last) {
      block *= next.extent;
    } else if (kept > 0 && next.stride == before.stride * before.extent) {
      before.extent *= next.extent;
    } else {
      dimension[static_cast<std::size_t>(kept++)] = next;
    }
  }
  dimensions = kept;
}

SectionBlocks::SectionBlocks(const Section& section, std::ptrdiff_t offset) noexcept
    : section_(section), row_(section.base) {
  auto [blocks, within] = divide(offset, section.block);
  within_ = within;
  for (int i = 0; i < section.dimensions; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const Section::Dimension& dimension = section.dimension[place];
    if (i == section.dimensions - 1) {
      index_[place] = blocks;
    } else {
      const Division here = divide(blocks, dimension.extent);
      index_[place] = here.remainder;
      blocks = here.quotient;
    }
    if (i > 0) row_ += index_[place] * dimension.stride;
  }
}

void SectionBlocks::advance(std::size_t bytes) noexcept {
  within_ += static_cast<std::ptrdiff_t>(bytes);
  if (within_ < section_.block) return;
  within_ = 0;
  advance_row(1);
}

void SectionBlocks::advance_row(std::size_t blocks) noexcept {
  index_[0] += static_cast<std::ptrdiff_t>(blocks);
  if (index_[0] >= section_.dimension[0].extent && section_.dimensions > 1) carry();
}

void SectionBlocks::carry() noexcept {
  index_[0] = 0;
  for (int i = 1; i < section_.dimensions; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const Section::Dimension& dimension = section_.dimension[place];
    row_ += dimension.stride;
    if (++index_[place] < dimension.extent || i == section_.dimensions - 1) return;
    row_ -= dimension.stride * dimension.extent;
    index_[place] = 0;
  }
}

}  // namespace bowline::dtype
