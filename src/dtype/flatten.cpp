// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/flatten.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "dtype/composition.hpp"
#include "dtype/datatype.hpp"

namespace bowline::dtype {
namespace {

/// Whether `step` times `count` is `total`, without overflow.
bool is_product(std::ptrdiff_t total, std::ptrdiff_t step, std::size_t count) noexcept {
  std::ptrdiff_t product = 0;
  return !__builtin_mul_overflow(step, count, &product) && product == total;
}

struct NodeHash {
  std::size_t operator()(const Node& node) const noexcept {
    std::size_t hash = static_cast<std::size_t>(node.kind);
    for (const std::size_t value :
         {std::size_t{node.child}, node.count, node.length, static_cast<std::size_t>(node.stride)}) {
      hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

}  // namespace

class Flattener {
 public:
  std::shared_ptr<const Layout> run(const Datatype& type) {
    layout_.root_ = of(type);
    layout_.nodes_.shrink_to_fit();
    layout_.displacements_.shrink_to_fit();
    layout_.ends_.shrink_to_fit();
    layout_.parts_.shrink_to_fit();
    return std::make_shared<const Layout>(std::move(layout_));
  }

 private:
  using Placed = Layout::Placed;

  /// A block of a list: `length` bytes or elements.
  struct Entry {
    std::ptrdiff_t offset;
    std::size_t length;
  };

  Placed of(const Datatype& type) {
    const auto known = done_.find(&type);
    if (known != done_.end()) return known->second;
    const Placed placed = !type.blocks().empty()        ? basic(type)
                          : type.same_as() != nullptr   ? of(*type.same_as())
                          : type.bounds().elements == 0 ? empty()
                                                        : composed(Composition(type.envelope(), type.types()));
    done_.emplace(&type, placed);
    return placed;
  }

  Placed basic(const Datatype& type) {
    std::vector<Entry> entries;
    for (const Block& block : type.blocks()) entries.push_back({block.offset, block.length});
    return runs(std::move(entries));
  }

  Placed composed(const Composition& blocks) {
    if (blocks.mixed()) return structure(blocks);
    const Datatype& type = blocks.type(0);
    const Placed child = of(type);
    if (blocks.regular()) {
      const Placed block = array(static_cast<std::size_t>(blocks.length(0)), type.extent(), child);
      return blocks.size() == 1 ? block : array(blocks.size(), blocks.displacement(1), block);
    }
    const bool dense = is_run(child) && static_cast<std::ptrdiff_t>(size_of(child)) == type.extent();
    const std::size_t unit = dense ? size_of(child) : 1;
    std::vector<Entry> entries;
    entries.reserve(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      entries.push_back({blocks.displacement(i) + child.offset, static_cast<std::size_t>(blocks.length(i)) * unit});
    }
    return dense ? runs(std::move(entries)) : list(std::move(entries), child.node, type.extent());
  }

  /// Fields of different types. Adjacent fields of one kind become lists.
  Placed structure(const Composition& fields) {
    std::vector<Placed> parts;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Datatype& type = fields.type(i);
      Placed part = array(static_cast<std::size_t>(fields.length(i)), type.extent(), of(type));
      if (size_of(part) == 0) continue;
      part.offset += fields.displacement(i);
      parts.push_back(part);
    }
    std::vector<Placed> groups;
    for (auto from = parts.begin(); from != parts.end();) {
      const auto differs = [&](const Placed& other) {
        return is_run(*from) ? !is_run(other) : other.node != from->node;
      };
      const auto to = std::find_if(from, parts.end(), differs);
      groups.push_back(group({from, to}));
      from = to;
    }
    if (groups.empty()) return empty();
    return groups.size() == 1 ? groups.front() : sequence(groups);
  }

  /// Joins parts that are all runs, or are all the same node.
  Placed group(std::span<const Placed> parts) {
    if (parts.size() == 1) return parts.front();
    const bool of_bytes = is_run(parts.front());
    std::vector<Entry> entries;
    entries.reserve(parts.size());
    for (const Placed& part : parts) entries.push_back({part.offset, of_bytes ? size_of(part) : 1});
    return of_bytes ? runs(std::move(entries)) : list(std::move(entries), parts.front().node, 0);
  }

  Placed sequence(std::span<const Placed> parts) {
    Node node{.kind = NodeKind::sequence, .varied = true, .count = parts.size()};
    node.first = layout_.displacements_.size();
    node.first_end = layout_.ends_.size();
    node.first_part = layout_.parts_.size();
    for (const Placed& part : parts) {
      node.size += size_of(part);
      layout_.displacements_.push_back(part.offset);
      layout_.ends_.push_back(node.size);
      layout_.parts_.push_back(part.node);
    }
    return {0, add(node)};
  }

  /// Blocks of bytes.
  Placed runs(std::vector<Entry> entries) {
    join(entries, 1);
    if (entries.empty()) return empty();
    if (entries.size() == 1) return {entries[0].offset, bytes(entries[0].length)};
    if (alike(entries)) {
      const std::size_t length = entries[0].length;
      if (const std::ptrdiff_t step = step_of(entries); step != 0)
        return array(entries.size(), step, {entries[0].offset, bytes(length)});
      return {0, listed({.kind = NodeKind::blocks, .length = length}, entries, length)};
    }
    return {0, listed({.kind = NodeKind::blocks, .varied = true}, entries, 1)};
  }

  /// A node, repeated `stride` apart, in each entry.
  Placed list(std::vector<Entry> entries, std::uint32_t node, std::ptrdiff_t stride) {
    join(entries, stride);
    if (entries.empty() || layout_.nodes_[node].size == 0) return empty();
    if (!alike(entries))
      return {0, listed({.kind = NodeKind::list, .varied = true, .child = node, .stride = stride}, entries,
                        layout_.nodes_[node].size)};
    Placed each = array(entries[0].length, stride, {0, node});
    if (const std::ptrdiff_t step = step_of(entries); step != 0 || entries.size() == 1) {
      each.offset = entries[0].offset;
      return array(entries.size(), step, each);
    }
    const std::size_t size = size_of(each);
    if (is_run(each)) return {0, listed({.kind = NodeKind::blocks, .length = size}, entries, size)};
    return {0, listed({.kind = NodeKind::list, .child = each.node}, entries, size)};
  }

  /// Removes empty entries, and merges two entries if the second starts where the first ends.
  static void join(std::vector<Entry>& entries, std::ptrdiff_t stride) {
    std::size_t kept = 0;
    for (const Entry& entry : entries) {
      if (entry.length == 0) continue;
      if (kept > 0 && stride != 0 &&
          is_product(entry.offset - entries[kept - 1].offset, stride, entries[kept - 1].length)) {
        entries[kept - 1].length += entry.length;
      } else {
        entries[kept++] = entry;
      }
    }
    entries.resize(kept);
  }

  static bool alike(std::span<const Entry> entries) {
    return std::ranges::all_of(entries, [&](const Entry& each) { return each.length == entries[0].length; });
  }

  /// The distance between neighbouring entries; 0 if it varies, or if there are none.
  static std::ptrdiff_t step_of(std::span<const Entry> entries) {
    if (entries.size() < 2) return 0;
    const std::ptrdiff_t step = entries[1].offset - entries[0].offset;
    for (std::size_t i = 2; i < entries.size(); ++i) {
      if (entries[i].offset - entries[i - 1].offset != step) return 0;
    }
    return step;
  }

  /// A node with a list of displacements. `unit`: bytes of data in one unit of the entries' lengths, or in each entry
  /// if they are alike.
  std::uint32_t listed(Node node, std::span<const Entry> entries, std::size_t unit) {
    node.count = entries.size();
    node.first = layout_.displacements_.size();
    node.first_end = layout_.ends_.size();
    layout_.displacements_.reserve(node.first + entries.size());
    for (const Entry& entry : entries) layout_.displacements_.push_back(entry.offset);
    if (!node.varied) {
      node.size = entries.size() * unit;
    } else {
      layout_.ends_.reserve(node.first_end + entries.size());
      for (const Entry& entry : entries) layout_.ends_.push_back(node.size += entry.length * unit);
    }
    return add(node);
  }

  Placed array(std::size_t count, std::ptrdiff_t stride, Placed each) {
    const Node node = layout_.nodes_[each.node];
    if (count == 0 || node.size == 0) return empty();
    if (count == 1) return each;
    switch (node.kind) {
      case NodeKind::run:
        if (stride == static_cast<std::ptrdiff_t>(node.length)) return {each.offset, bytes(node.length * count)};
        return {each.offset, grid(count, stride, node.length)};
      case NodeKind::grid:
        if (is_product(stride, node.stride, node.count))
          return {each.offset, grid(count * node.count, node.stride, node.length)};
        break;
      case NodeKind::repeat:
        if (is_product(stride, node.stride, node.count))
          return {each.offset, repeat(count * node.count, node.stride, node.child)};
        break;
      default:
        break;
    }
    return {each.offset, repeat(count, stride, each.node)};
  }

  Placed empty() { return {0, bytes(0)}; }
  std::uint32_t bytes(std::size_t length) { return intern({.kind = NodeKind::run, .size = length, .length = length}); }
  std::uint32_t grid(std::size_t count, std::ptrdiff_t stride, std::size_t length) {
    return intern({.kind = NodeKind::grid, .size = count * length, .count = count, .length = length, .stride = stride});
  }
  std::uint32_t repeat(std::size_t count, std::ptrdiff_t stride, std::uint32_t child) {
    const std::size_t size = count * layout_.nodes_[child].size;
    return intern({.kind = NodeKind::repeat, .child = child, .size = size, .count = count, .stride = stride});
  }

  std::uint32_t intern(const Node& node) {
    const auto [known, fresh] = same_.try_emplace(node, static_cast<std::uint32_t>(layout_.nodes_.size()));
    return fresh ? add(node) : known->second;
  }
  std::uint32_t add(const Node& node) {
    layout_.nodes_.push_back(node);
    return static_cast<std::uint32_t>(layout_.nodes_.size() - 1);
  }

  bool is_run(const Placed& placed) const noexcept { return layout_.nodes_[placed.node].kind == NodeKind::run; }
  std::size_t size_of(const Placed& placed) const noexcept { return layout_.nodes_[placed.node].size; }

  Layout layout_;
  std::unordered_map<const Datatype*, Placed> done_;
  std::unordered_map<Node, std::uint32_t, NodeHash> same_;
};

std::shared_ptr<const Layout> flatten(const Datatype& type) {
  return Flattener().run(type);
}

}  // namespace bowline::dtype
