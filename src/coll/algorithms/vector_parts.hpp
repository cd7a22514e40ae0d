// SPDX-License-Identifier: BSD-3-Clause
// Parts: how algorithms divide a vector, always at element boundaries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace bowline::coll {

/// Part `index` of `count` parts whose lengths differ by at most one element.
template <class Byte>
std::span<Byte> part(std::span<Byte> data, std::size_t element, int index, int count) noexcept {
  const std::size_t elements = data.size() / std::max<std::size_t>(element, 1);
  const std::size_t each = elements / static_cast<std::size_t>(count);
  const std::size_t longer = elements % static_cast<std::size_t>(count);  // longer parts, which come first
  const auto number = static_cast<std::size_t>(index);
  const std::size_t first = number * each + std::min(number, longer);
  return data.subspan(first * element, (each + (number < longer ? 1 : 0)) * element);
}

/// The lower and the upper half.
struct Halves {
  std::span<std::byte> lower, upper;
};
inline Halves halves(std::span<std::byte> data, std::size_t element) noexcept {
  return {part(data, element, 0, 2), part(data, element, 1, 2)};
}

/// The data that remain at a position after halving with the positions at all distances below `distance`; the position
/// whose bit is clear keeps the lower half.
inline std::span<std::byte> left_to(int position, int distance, std::span<std::byte> data,
                                    std::size_t element) noexcept {
  for (int done = 1; done < distance; done *= 2) {
    const auto [lower, upper] = halves(data, element);
    data = (position & done) == 0 ? lower : upper;
  }
  return data;
}

}  // namespace bowline::coll
