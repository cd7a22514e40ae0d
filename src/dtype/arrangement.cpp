// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/arrangement.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

namespace bowline::dtype {
namespace {

std::size_t distance(std::ptrdiff_t value) noexcept {
  return static_cast<std::size_t>(std::abs(value));
}

/// The arrangement of a part that lies `offset` further.
Arrangement moved(Arrangement part, std::ptrdiff_t offset) noexcept {
  part.first += offset;
  part.last += offset;
  part.low += offset;
  part.high += offset;
  part.granule = std::gcd(part.granule, distance(offset));
  return part;
}

/// Appends a part.
void append(Arrangement& all, const Arrangement& part) noexcept {
  all.ascending = all.ascending && part.ascending && part.first >= all.last;
  all.disjoint = all.disjoint && part.disjoint && part.first >= all.high;
  all.last = part.last;
  all.low = std::min(all.low, part.low);
  all.high = std::max(all.high, part.high);
  all.granule = std::gcd(all.granule, part.granule);
}

Arrangement run_of(std::size_t length) noexcept {
  return {.high = static_cast<std::ptrdiff_t>(length), .granule = length};
}

/// `count` times `each`, `stride` apart.
Arrangement repeated(const Arrangement& each, std::size_t count, std::ptrdiff_t stride) noexcept {
  Arrangement all = each;
  if (count < 2) return all;
  append(all, moved(each, stride));  // if the element and its first neighbour are in order, all neighbours are
  if (count > 2) append(all, moved(each, stride * static_cast<std::ptrdiff_t>(count - 1)));
  return all;
}

/// Bytes of data in part `i` of a node that has displacements.
std::size_t part_bytes(const Layout& layout, const Node& node, std::size_t i) noexcept {
  if (!node.varied) return node.size / node.count;
  const std::size_t* const ends = layout.ends(node);
  return ends[i] - (i == 0 ? 0 : ends[i - 1]);
}

/// Looks at each node once, however often other nodes refer to it.
class Survey {
 public:
  explicit Survey(const Layout& layout) : layout_(layout), known_(layout.nodes()) {}

  Arrangement of(const Node& node) {
    std::optional<Arrangement>& known = known_[static_cast<std::size_t>(&node - &layout_.node(0))];
    if (!known) known = look(node);
    return *known;
  }

 private:
  Arrangement look(const Node& node) {
    switch (node.kind) {
      case NodeKind::run:
        return run_of(node.length);
      case NodeKind::grid:
        return repeated(run_of(node.length), node.count, node.stride);
      case NodeKind::repeat:
        return repeated(of(layout_.node(node.child)), node.count, node.stride);
      default:
        return look_at_parts(node);
    }
  }

  Arrangement look_at_parts(const Node& node) {
    Arrangement all;
    for (std::size_t i = 0; i < node.count; ++i) {
      const Arrangement part = moved(part_of(node, i), layout_.displacements(node)[i]);
      if (i == 0) {
        all = part;
      } else {
        append(all, part);
      }
    }
    return all;
  }

  Arrangement part_of(const Node& node, std::size_t i) {
    if (node.kind == NodeKind::sequence) return of(layout_.part(node, i));
    const std::size_t bytes = part_bytes(layout_, node, i);
    if (node.kind == NodeKind::blocks) return run_of(bytes);
    const Node& child = layout_.node(node.child);
    return repeated(of(child), bytes / child.size, node.stride);
  }

  const Layout& layout_;
  std::vector<std::optional<Arrangement>> known_;  ///< arrangements by the index of their node
};

/// Searches disjoint layouts. Offsets count from the place of the node.
class Search {
 public:
  explicit Search(const Layout& layout) noexcept : layout_(layout) {}

  std::size_t before(const Node& node, std::ptrdiff_t offset) const noexcept {
    switch (node.kind) {
      case NodeKind::run:
        return before_in_run(node.length, offset);
      case NodeKind::grid: {
        const Node row{.kind = NodeKind::run, .size = node.length, .length = node.length};
        return before_in_array(row, node.count, node.stride, offset);
      }
      case NodeKind::repeat:
        return before_in_array(layout_.node(node.child), node.count, node.stride, offset);
      default:
        return before_in_parts(node, offset);
    }
  }

 private:
  static std::size_t before_in_run(std::size_t length, std::ptrdiff_t offset) noexcept {
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(offset, 0, static_cast<std::ptrdiff_t>(length)));
  }

  std::size_t before_in_array(const Node& each, std::size_t count, std::ptrdiff_t stride,
                              std::ptrdiff_t offset) const noexcept {
    const std::ptrdiff_t from_first = offset - first_of(each);
    if (from_first <= 0) return 0;
    if (count == 1) return before(each, offset);
    const std::size_t index = std::min(count - 1, static_cast<std::size_t>((from_first - 1) / stride));
    return index * each.size + before(each, offset - static_cast<std::ptrdiff_t>(index) * stride);
  }

  std::size_t before_in_parts(const Node& node, std::ptrdiff_t offset) const noexcept {
    const std::ptrdiff_t* const displacements = layout_.displacements(node);
    std::size_t low = 0, high = node.count;  // parts before `low` begin before the offset, parts from `high` on do not
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (displacements[middle] + first_of_part(node, middle) < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) return 0;
    const std::size_t i = low - 1;
    const std::size_t bytes = part_bytes(layout_, node, i);
    const std::size_t begin = node.varied ? layout_.ends(node)[i] - bytes : i * bytes;
    const std::ptrdiff_t within = offset - displacements[i];
    if (node.kind == NodeKind::blocks) return begin + before_in_run(bytes, within);
    if (node.kind == NodeKind::sequence) return begin + before(layout_.part(node, i), within);
    const Node& child = layout_.node(node.child);
    return begin + before_in_array(child, bytes / child.size, node.stride, within);
  }

  std::ptrdiff_t first_of_part(const Node& node, std::size_t i) const noexcept {
    if (node.kind == NodeKind::blocks) return 0;
    return first_of(node.kind == NodeKind::list ? layout_.node(node.child) : layout_.part(node, i));
  }

  /// Where the first run of a node begins.
  std::ptrdiff_t first_of(const Node& node) const noexcept {
    switch (node.kind) {
      case NodeKind::run:
      case NodeKind::grid:
        return 0;
      case NodeKind::repeat:
        return first_of(layout_.node(node.child));
      default:
        return layout_.displacements(node)[0] + first_of_part(node, 0);
    }
  }

  const Layout& layout_;
};

}  // namespace

Arrangement arrangement_of(const Layout& layout) {
  if (layout.size() == 0) return {};
  return moved(Survey(layout).of(layout.top()), layout.root().offset);
}

std::size_t data_before(const Layout& layout, std::ptrdiff_t offset) noexcept {
  if (layout.size() == 0) return 0;
  return Search(layout).before(layout.top(), offset - layout.root().offset);
}

}  // namespace bowline::dtype
