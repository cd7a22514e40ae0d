// SPDX-License-Identifier: BSD-3-Clause
// Layout: where the data of a committed datatype lie, as a tree in flat arrays. Immutable, shared between threads and
// between types that have the same data.
//
// Every node describes bytes relative to an address, its place, which the reference to the node gives. Adjacent blocks
// are merged, regular lists are strides, and equal nodes are shared. So the size of a layout is proportional to the
// number of distinct blocks of its type, not to the number of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bowline::dtype {

/// The structure of a node.
enum class NodeKind : std::uint8_t {
  run,       ///< `length` bytes
  grid,      ///< `count` runs of `length` bytes, `stride` apart
  blocks,    ///< `count` runs at `displacements`; of `length` bytes each, or of different lengths: `ends`
  repeat,    ///< `count` times `child`, `stride` apart
  list,      ///< at each of `count` `displacements`, copies of `child`, `stride` apart; `ends` limits them
  sequence,  ///< `count` different `parts`, at `displacements`, with `ends`
};

struct Node {
  NodeKind kind = NodeKind::run;
  bool varied = false;      ///< has `ends`
  std::uint32_t child = 0;  ///< index of a node
  std::size_t size = 0;     ///< bytes of data
  std::size_t count = 1;
  std::size_t length = 0;      ///< bytes
  std::ptrdiff_t stride = 0;   ///< bytes
  std::size_t first = 0;       ///< index of its first displacement
  std::size_t first_end = 0;   ///< index of its first end; an end is the bytes of data up to the end of a part
  std::size_t first_part = 0;  ///< index of its first part; a part is the index of a node

  bool operator==(const Node&) const = default;
};

class Layout {
 public:
  /// A node and its place, relative to the address of the datatype's element.
  struct Placed {
    std::ptrdiff_t offset = 0;
    std::uint32_t node = 0;
  };

  Placed root() const noexcept { return root_; }
  const Node& node(std::uint32_t index) const noexcept { return nodes_[index]; }
  const Node& top() const noexcept { return nodes_[root_.node]; }
  /// Bytes of data.
  std::size_t size() const noexcept { return top().size; }
  bool is_run() const noexcept { return top().kind == NodeKind::run; }

  const std::ptrdiff_t* displacements(const Node& node) const noexcept { return &displacements_[node.first]; }
  const std::size_t* ends(const Node& node) const noexcept { return &ends_[node.first_end]; }
  const Node& part(const Node& node, std::size_t i) const noexcept { return nodes_[parts_[node.first_part + i]]; }

  /// Bytes of memory of the layout.
  std::size_t memory() const noexcept;
  std::size_t nodes() const noexcept { return nodes_.size(); }

 private:
  friend class Flattener;

  Placed root_;
  std::vector<Node> nodes_;
  std::vector<std::ptrdiff_t> displacements_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> parts_;
};

}  // namespace bowline::dtype
