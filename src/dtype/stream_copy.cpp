// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/stream_copy.hpp"

#include <algorithm>
#include <cstring>

#include "dtype/copy.hpp"

namespace bowline::dtype {
namespace {

// Nodes with several parts are copied part by part, for as many nodes at a time as fit into the first-level cache.
constexpr std::size_t chunk_bytes = 8 << 10;
// The longest list of blocks that this file copies block by block.
constexpr std::size_t few_blocks = 16;

std::ptrdiff_t times(std::size_t count, std::ptrdiff_t step) noexcept {
  return static_cast<std::ptrdiff_t>(count) * step;
}

/// The number of nodes, `step` and `stream_step` apart, that are copied part by part at a time.
std::size_t chunk_of(std::ptrdiff_t step, std::ptrdiff_t stream_step) noexcept {
  const std::ptrdiff_t each = std::max(std::abs(step), std::abs(stream_step));
  return std::max<std::size_t>(1, chunk_bytes / static_cast<std::size_t>(std::max<std::ptrdiff_t>(each, 1)));
}

}  // namespace

template <Direction direction>
void StreamCopy<direction>::array(const Node& each, std::ptrdiff_t step, std::byte* memory, std::size_t from,
                                  std::size_t to, Stream stream) {
  const std::size_t unit = each.size;
  if (from == 0 && to == unit) return whole(each, {1, memory, step, stream, 0});
  std::size_t index = from / unit;
  if (const std::size_t skipped = from % unit; skipped > 0 || to - from < unit) {
    const std::size_t end = std::min(unit, skipped + (to - from));
    part(each, memory + times(index, step), skipped, end, stream);
    stream += end - skipped;
    from += end - skipped;
    ++index;
  }
  if (const std::size_t count = (to - from) / unit; count > 0) {
    whole(each, {count, memory + times(index, step), step, stream, static_cast<std::ptrdiff_t>(unit)});
    stream += count * unit;
    from += count * unit;
    index += count;
  }
  if (from < to) part(each, memory + times(index, step), 0, to - from, stream);
}

/// The bytes [from, to) of one node.
template <Direction direction>
void StreamCopy<direction>::part(const Node& node, std::byte* memory, std::size_t from, std::size_t to, Stream stream) {
  const Node row{.kind = NodeKind::run, .size = node.length, .length = node.length};
  switch (node.kind) {
    case NodeKind::run:
      return rows({1, memory + from, 0, stream, 0}, to - from);
    case NodeKind::grid:
      return array(row, node.stride, memory, from, to, stream);
    case NodeKind::repeat:
      return array(layout_.node(node.child), node.stride, memory, from, to, stream);
    default:
      return part_of_varied(node, memory, from, to, stream);
  }
}

/// The bytes [from, to) of one node with displacements.
template <Direction direction>
void StreamCopy<direction>::part_of_varied(const Node& node, std::byte* memory, std::size_t from, std::size_t to,
                                           Stream stream) {
  const std::ptrdiff_t* const displacements = layout_.displacements(node);
  const std::size_t* const ends = node.varied ? layout_.ends(node) : nullptr;
  const std::size_t unit = node.size / node.count;
  std::size_t i =
      node.varied ? static_cast<std::size_t>(std::upper_bound(ends, ends + node.count, from) - ends) : from / unit;
  for (; from < to; ++i) {
    const std::size_t begin = node.varied ? (i == 0 ? 0 : ends[i - 1]) : i * unit;
    const std::size_t end = std::min(to, node.varied ? ends[i] : begin + unit);
    std::byte* const place = memory + displacements[i];
    if (node.kind == NodeKind::blocks) {
      rows({1, place + (from - begin), 0, stream, 0}, end - from);
    } else if (node.kind == NodeKind::list) {
      array(layout_.node(node.child), node.stride, place, from - begin, end - begin, stream);
    } else {
      array(layout_.part(node, i), 0, place, from - begin, end - begin, stream);
    }
    stream += end - from;
    from = end;
  }
}

template <Direction direction>
void StreamCopy<direction>::rows(const Several& several, std::size_t length) {
  if constexpr (direction == Direction::pack) {
    if (several.count == 1) {
      std::memcpy(several.stream, several.memory, length);
    } else {
      copy_rows({several.stream, several.stream_step}, {several.memory, several.step}, several.count, length);
    }
  } else {
    if (several.count == 1) {
      std::memcpy(several.memory, several.stream, length);
    } else {
      copy_rows({several.memory, several.step}, {several.stream, several.stream_step}, several.count, length);
    }
  }
}

template <Direction direction>
void StreamCopy<direction>::whole(const Node& node, const Several& several) {
  switch (node.kind) {
    case NodeKind::run: {
      const auto length = static_cast<std::ptrdiff_t>(node.length);
      if (several.step == length && several.stream_step == length)
        return rows({1, several.memory, 0, several.stream, 0}, several.count * node.length);
      return rows(several, node.length);
    }
    case NodeKind::grid: {
      const auto length = static_cast<std::ptrdiff_t>(node.length);
      if constexpr (direction == Direction::pack) {
        return copy_planes({several.stream, length, several.stream_step}, {several.memory, node.stride, several.step},
                           several.count, node.count, node.length);
      } else {
        return copy_planes({several.memory, node.stride, several.step}, {several.stream, length, several.stream_step},
                           several.count, node.count, node.length);
      }
    }
    case NodeKind::blocks:
      return whole_blocks(node, several);
    case NodeKind::repeat:
      return whole_repeat(node, several);
    case NodeKind::list:
      return whole_list(node, several);
    case NodeKind::sequence:
      return whole_sequence(node, several);
  }
}

template <Direction direction>
void StreamCopy<direction>::whole_blocks(const Node& node, const Several& several) {
  const std::ptrdiff_t* const displacements = layout_.displacements(node);
  const std::size_t* const ends = node.varied ? layout_.ends(node) : nullptr;
  Several now = several;
  if (several.count > 1 && node.count == 2) {
    const std::size_t first = node.varied ? ends[0] : node.length;
    const std::size_t second = node.size - first;
    if (first <= Halves::longest && second <= Halves::longest) {
      const std::ptrdiff_t apart = displacements[1] - displacements[0];
      const auto packed = static_cast<std::ptrdiff_t>(first);
      std::byte* const memory = several.memory + displacements[0];
      if constexpr (direction == Direction::pack) {
        return copy_pairs({several.stream, several.stream_step}, {memory, several.step}, several.count,
                          {{first, second}, packed, apart});
      } else {
        return copy_pairs({memory, several.step}, {several.stream, several.stream_step}, several.count,
                          {{first, second}, apart, packed});
      }
    }
  }
  if (several.count > 1 && node.count <= few_blocks) {
    const std::size_t chunk = chunk_of(several.step, several.stream_step);
    if (chunk > 1) {
      for (std::size_t done = 0; done < several.count; done += now.count) {
        now.count = std::min(chunk, several.count - done);
        std::size_t begin = 0;
        for (std::size_t i = 0; i < node.count; ++i) {
          const std::size_t end = node.varied ? ends[i] : begin + node.length;
          now.memory = several.memory + times(done, several.step) + displacements[i];
          now.stream = several.stream + times(done, several.stream_step) + begin;
          rows(now, end - begin);
          begin = end;
        }
      }
      return;
    }
  }
  for (std::size_t i = 0; i < several.count; ++i) {
    std::byte* const memory = several.memory + times(i, several.step);
    const Stream stream = several.stream + times(i, several.stream_step);
    if constexpr (direction == Direction::pack) {
      node.varied ? gather_varied(stream, memory, displacements, ends, node.count)
                  : gather(stream, memory, displacements, node.count, node.length);
    } else {
      node.varied ? scatter_varied(memory, displacements, ends, stream, node.count)
                  : scatter(memory, displacements, stream, node.count, node.length);
    }
  }
}

/// The longer of the two loops is the inner one, unless its accesses are far apart.
template <Direction direction>
void StreamCopy<direction>::whole_repeat(const Node& node, const Several& several) {
  const Node& child = layout_.node(node.child);
  const auto child_size = static_cast<std::ptrdiff_t>(child.size);
  const std::size_t chunk = chunk_of(several.step, several.stream_step);
  if (node.count < several.count && node.count < chunk) {
    for (std::size_t done = 0; done < several.count; done += chunk) {
      const std::size_t count = std::min(chunk, several.count - done);
      for (std::size_t i = 0; i < node.count; ++i) {
        whole(child, {count, several.memory + times(done, several.step) + times(i, node.stride), several.step,
                      several.stream + times(done, several.stream_step) + times(i, child_size), several.stream_step});
      }
    }
    return;
  }
  for (std::size_t i = 0; i < several.count; ++i) {
    whole(child, {node.count, several.memory + times(i, several.step), node.stride,
                  several.stream + times(i, several.stream_step), child_size});
  }
}

template <Direction direction>
void StreamCopy<direction>::whole_list(const Node& node, const Several& several) {
  const Node& child = layout_.node(node.child);
  const std::ptrdiff_t* const displacements = layout_.displacements(node);
  const std::size_t* const ends = node.varied ? layout_.ends(node) : nullptr;
  for (std::size_t i = 0; i < several.count; ++i) {
    std::byte* const memory = several.memory + times(i, several.step);
    const Stream stream = several.stream + times(i, several.stream_step);
    std::size_t begin = 0;
    for (std::size_t j = 0; j < node.count; ++j) {
      const std::size_t end = node.varied ? ends[j] : begin + child.size;
      whole(child, {(end - begin) / child.size, memory + displacements[j], node.stride, stream + begin,
                    static_cast<std::ptrdiff_t>(child.size)});
      begin = end;
    }
  }
}

template <Direction direction>
void StreamCopy<direction>::whole_sequence(const Node& node, const Several& several) {
  const std::ptrdiff_t* const displacements = layout_.displacements(node);
  const std::size_t* const ends = layout_.ends(node);
  const std::size_t chunk = chunk_of(several.step, several.stream_step);
  Several now = several;
  for (std::size_t done = 0; done < several.count; done += now.count) {
    now.count = std::min(chunk, several.count - done);
    for (std::size_t i = 0; i < node.count; ++i) {
      now.memory = several.memory + times(done, several.step) + displacements[i];
      now.stream = several.stream + times(done, several.stream_step) + (i == 0 ? 0 : ends[i - 1]);
      whole(layout_.part(node, i), now);
    }
  }
}

template class StreamCopy<Direction::pack>;
template class StreamCopy<Direction::unpack>;

}  // namespace bowline::dtype
