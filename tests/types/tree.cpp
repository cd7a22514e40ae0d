// SPDX-License-Identifier: BSD-3-Clause
// What the constructors mean: each replicates the type maps of its children as the standard's definition of it says.
#include "types/tree.hpp"

#include <algorithm>

namespace types {

namespace {

using Integers = std::span<const std::int64_t>;

// Appends `length` copies of `old` that follow each other from `at` on.
void append_block(TypeMap& map, const TypeMap& old, std::int64_t length, std::int64_t at) {
  const std::int64_t extent = old.extent();
  for (std::int64_t i = 0; i < length; ++i) map.append(old, at + i * extent);
}

TypeMap strided(const TypeMap& old, std::int64_t count, std::int64_t length, std::int64_t stride) {
  TypeMap map;
  for (std::int64_t i = 0; i < count; ++i) append_block(map, old, length, i * stride);
  return map;
}

// Blocks with displacements in units of `unit` bytes. There is one length for each block, or one for all of them.
TypeMap blocks(const TypeMap& old, Integers lengths, Integers displacements, std::int64_t unit) {
  TypeMap map;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    append_block(map, old, lengths[lengths.size() == 1 ? 0 : i], displacements[i] * unit);
  }
  return map;
}

TypeMap structure(std::span<const TypeMap> children, Integers lengths, Integers displacements) {
  TypeMap map;
  for (std::size_t i = 0; i < children.size(); ++i) append_block(map, children[i], lengths[i], displacements[i]);
  return map;
}

// The data of `old` where they lie, between markers of its own.
TypeMap marked(TypeMap map, Interval markers) {
  map.markers = markers;
  return map;
}

// One dimension of a subarray.
TypeMap slice(const TypeMap& old, std::int64_t size, std::int64_t subsize, std::int64_t start) {
  TypeMap map;
  append_block(map, old, subsize, start * old.extent());
  return marked(std::move(map), {0, size * old.extent()});
}

// One dimension of a darray: the blocks of `length` elements that process `rank` of `processes` has.
TypeMap cyclic(const TypeMap& old, std::int64_t length, std::int64_t size, std::int64_t rank, std::int64_t processes) {
  TypeMap map;
  for (std::int64_t first = rank * length; first < size; first += processes * length) {
    append_block(map, old, std::min(length, size - first), first * old.extent());
  }
  return marked(std::move(map), {0, size * old.extent()});
}

// The dimensions from the one whose neighbours lie side by side to the one with the largest stride.
std::vector<std::size_t> innermost_first(std::size_t dimensions, std::int64_t order) {
  std::vector<std::size_t> sequence(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) sequence[i] = order == order_fortran ? i : dimensions - 1 - i;
  return sequence;
}

TypeMap subarray(const Tree& tree, const TypeMap& old) {
  TypeMap map = old;
  for (const std::size_t i : innermost_first(dimensions(tree, 0).size(), tree.integers.back())) {
    map = slice(map, dimensions(tree, 0)[i], dimensions(tree, 1)[i], dimensions(tree, 2)[i]);
  }
  return map;
}

std::int64_t block_length(std::int64_t distribution, std::int64_t argument, std::int64_t size, std::int64_t processes) {
  if (distribution == distribute_none) return size;
  if (argument != default_argument) return argument;
  return distribution == distribute_block ? (size + processes - 1) / processes : 1;
}

TypeMap darray(const Tree& tree, const TypeMap& old) {
  const Integers sizes = dimensions(tree, 0), distributions = dimensions(tree, 1), arguments = dimensions(tree, 2),
                 processes = dimensions(tree, 3);
  std::vector<std::int64_t> ranks(sizes.size());  // the process's coordinates in the grid, the last varying fastest
  std::int64_t rest = tree.integers[1];
  for (std::size_t i = sizes.size(); i-- > 0; rest /= processes[i]) ranks[i] = rest % processes[i];
  TypeMap map = old;
  for (const std::size_t i : innermost_first(sizes.size(), tree.integers.back())) {
    const std::int64_t length = block_length(distributions[i], arguments[i], sizes[i], processes[i]);
    map = cyclic(map, length, sizes[i], ranks[i], processes[i]);
  }
  return map;
}

std::int64_t sum(Integers values) {
  std::int64_t total = 0;
  for (const std::int64_t value : values) total += value;
  return total;
}

}  // namespace

Integers dimensions(const Tree& tree, std::size_t which) {
  const std::size_t head = tree.combiner == Combiner::darray ? 3 : 1;
  const auto count = static_cast<std::size_t>(tree.integers[head - 1]);
  return Integers(tree.integers).subspan(head + which * count, count);
}

TypeMap map_of(const Tree& tree) {
  std::vector<TypeMap> children;
  for (const Tree& child : tree.children) children.push_back(map_of(child));
  return map_of(tree, children);
}

TypeMap map_of(const Tree& tree, std::span<const TypeMap> children) {
  const Integers integers = tree.integers, addresses = tree.addresses;
  const auto count = static_cast<std::size_t>(integers.empty() ? 0 : integers[0]);
  switch (tree.combiner) {
    case Combiner::named:
      return {all_named()[tree.name].entries, {}};
    case Combiner::dup:
      return children[0];
    case Combiner::contiguous:
      return strided(children[0], integers[0], 1, children[0].extent());
    case Combiner::vector:
      return strided(children[0], integers[0], integers[1], integers[2] * children[0].extent());
    case Combiner::hvector:
      return strided(children[0], integers[0], integers[1], addresses[0]);
    case Combiner::indexed:
      return blocks(children[0], integers.subspan(1, count), integers.subspan(1 + count), children[0].extent());
    case Combiner::hindexed:
      return blocks(children[0], integers.subspan(1), addresses, 1);
    case Combiner::indexed_block:
      return blocks(children[0], integers.subspan(1, 1), integers.subspan(2), children[0].extent());
    case Combiner::hindexed_block:
      return blocks(children[0], integers.subspan(1), addresses, 1);
    case Combiner::structure:
      return structure(children, integers.subspan(1), addresses);
    case Combiner::subarray:
      return subarray(tree, children[0]);
    case Combiner::darray:
      return darray(tree, children[0]);
    case Combiner::resized:
      return marked(children[0], {addresses[0], addresses[0] + addresses[1]});
  }
  return {};
}

std::int64_t entries_of(const Tree& tree, std::span<const TypeMap> children) {
  const Integers integers = tree.integers;
  const auto entries = [&](std::size_t child) { return static_cast<std::int64_t>(children[child].entries.size()); };
  const auto count = static_cast<std::size_t>(integers.empty() ? 0 : integers[0]);
  std::int64_t copies = 1;
  switch (tree.combiner) {
    case Combiner::named:
      return static_cast<std::int64_t>(all_named()[tree.name].entries.size());
    case Combiner::dup:
    case Combiner::resized:
      break;
    case Combiner::contiguous:
      copies = integers[0];
      break;
    case Combiner::vector:
    case Combiner::hvector:
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      copies = integers[0] * integers[1];
      break;
    case Combiner::indexed:
    case Combiner::hindexed:
      copies = sum(integers.subspan(1, count));
      break;
    case Combiner::structure: {
      std::int64_t total = 0;
      for (std::size_t i = 0; i < children.size(); ++i) total += integers[1 + i] * entries(i);
      return total;
    }
    case Combiner::subarray:
      for (const std::int64_t length : dimensions(tree, 1)) copies *= length;
      break;
    case Combiner::darray:  // no process has more than the whole array
      for (const std::int64_t length : dimensions(tree, 0)) copies *= length;
      break;
  }
  return copies * entries(0);
}

}  // namespace types
