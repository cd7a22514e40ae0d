// SPDX-License-Identifier: BSD-3-Clause
// Parts: how algorithms divide a vector, always between two elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace bowline::coll {

/// Number `index` of `count` parts that are as long as each other, or one element longer.
template <class Byte>
std::span<Byte> part(std::span<Byte> data, std::size_t element, int index, int count) noexcept {
  const std::size_t elements = data.size() / std::max<std::size_t>(element, 1);
  const std::size_t each = elements / static_cast<std::size_t>(count);
  const std::size_t longer = elements % static_cast<std::size_t>(count);  // the first ones
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

/// The segments in which pipelines move data: all of the same length but the last. Data without a byte are one segment.
class Segments {
 public:
  /// `longest` is 0 for all at once.
  Segments(std::size_t bytes, std::size_t longest) noexcept
      : longest_(longest == 0 ? bytes : std::min(longest, bytes)),
        count_(bytes == 0 ? 1 : (bytes + longest_ - 1) / longest_) {}

  std::size_t count() const noexcept { return count_; }
  std::size_t longest() const noexcept { return longest_; }
  /// Segment `index` of data that are as long as said, or shorter: then the last are shorter or empty.
  template <class Byte>
  std::span<Byte> of(std::span<Byte> data, std::size_t index) const noexcept {
    const std::size_t first = std::min(index * longest_, data.size());
    return data.subspan(first, std::min(longest_, data.size() - first));
  }

 private:
  std::size_t longest_;
  std::size_t count_;
};

}  // namespace bowline::coll
