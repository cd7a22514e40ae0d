// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/pieces.hpp"

#include <algorithm>

namespace bowline::dtype {
namespace {

std::byte* end_of(const iovec& piece) noexcept {
  return static_cast<std::byte*>(piece.iov_base) + piece.iov_len;
}

}  // namespace

void Pieces::array(const Node& each, std::ptrdiff_t step, std::byte* memory, std::size_t from, std::size_t to) {
  if (each.kind == NodeKind::run && step == static_cast<std::ptrdiff_t>(each.length))
    return add(memory + from, to - from);
  for (std::size_t i = from / each.size; from < to && !full_; ++i) {
    const std::size_t begin = i * each.size;
    const std::size_t end = to - begin < each.size ? to : begin + each.size;
    part(each, memory + static_cast<std::ptrdiff_t>(i) * step, from - begin, end - begin);
    from = end;
  }
}

/// The bytes [from, to) of one node.
void Pieces::part(const Node& node, std::byte* memory, std::size_t from, std::size_t to) {
  switch (node.kind) {
    case NodeKind::run:
      return add(memory + from, to - from);
    case NodeKind::grid: {
      const Node row{.kind = NodeKind::run, .size = node.length, .length = node.length};
      return array(row, node.stride, memory, from, to);
    }
    case NodeKind::repeat:
      return array(layout_.node(node.child), node.stride, memory, from, to);
    default:
      return listed(node, memory, from, to);
  }
}

void Pieces::listed(const Node& node, std::byte* memory, std::size_t from, std::size_t to) {
  const std::ptrdiff_t* const displacements = layout_.displacements(node);
  const std::size_t* const ends = node.varied ? layout_.ends(node) : nullptr;
  const std::size_t unit = node.size / node.count;
  std::size_t i =
      node.varied ? static_cast<std::size_t>(std::upper_bound(ends, ends + node.count, from) - ends) : from / unit;
  for (; from < to && !full_; ++i) {
    const std::size_t begin = node.varied ? (i == 0 ? 0 : ends[i - 1]) : i * unit;
    const std::size_t end = std::min(to, node.varied ? ends[i] : begin + unit);
    std::byte* const place = memory + displacements[i];
    if (node.kind == NodeKind::blocks) {
      add(place + (from - begin), end - from);
    } else if (node.kind == NodeKind::list) {
      array(layout_.node(node.child), node.stride, place, from - begin, end - begin);
    } else {
      array(layout_.part(node, i), 0, place, from - begin, end - begin);
    }
    from = end;
  }
}

void Pieces::add(std::byte* base, std::size_t length) {
  if (full_) return;
  if (count_ > 0 && end_of(target_[count_ - 1]) == base) {
    target_[count_ - 1].iov_len += length;
  } else if (count_ < target_.size()) {
    target_[count_++] = {base, length};
  } else {
    full_ = true;
    return;
  }
  bytes_ += length;
}

}  // namespace bowline::dtype
