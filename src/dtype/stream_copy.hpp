// SPDX-License-Identifier: BSD-3-Clause
// StreamCopy: moves a range of the stream between memory and a buffer. The loops of copy.hpp copy whole nodes. The
// positions of partial nodes are found by division, or by binary search if parts differ in length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dtype/layout.hpp"

namespace bowline::dtype {

enum class Direction : std::uint8_t { pack, unpack };

template <Direction direction>
class StreamCopy {
 public:
  using Stream = std::conditional_t<direction == Direction::pack, std::byte*, const std::byte*>;

  explicit StreamCopy(const Layout& layout) noexcept : layout_(layout) {}

  /// All nodes of an array of `count`.
  void array(const Node& each, std::size_t count, std::ptrdiff_t step, std::byte* memory, Stream stream) {
    whole(each, {count, memory, step, stream, static_cast<std::ptrdiff_t>(each.size)});
  }

  /// The bytes [from, to) of an array of `each`, `step` apart.
  void array(const Node& each, std::ptrdiff_t step, std::byte* memory, std::size_t from, std::size_t to, Stream stream);

 private:
  /// Several nodes: their addresses and distances on either side.
  struct Several {
    std::size_t count;
    std::byte* memory;
    std::ptrdiff_t step;
    Stream stream;
    std::ptrdiff_t stream_step;
  };

  void part(const Node& node, std::byte* memory, std::size_t from, std::size_t to, Stream stream);
  void part_of_varied(const Node& node, std::byte* memory, std::size_t from, std::size_t to, Stream stream);

  void whole(const Node& node, const Several& several);
  void whole_blocks(const Node& node, const Several& several);
  void whole_repeat(const Node& node, const Several& several);
  void whole_list(const Node& node, const Several& several);
  void whole_sequence(const Node& node, const Several& several);
  void rows(const Several& several, std::size_t length);

  const Layout& layout_;
};

extern template class StreamCopy<Direction::pack>;
extern template class StreamCopy<Direction::unpack>;

}  // namespace bowline::dtype
