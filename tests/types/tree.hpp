// SPDX-License-Identifier: BSD-3-Clause
// Type trees: how a datatype was constructed, in the very form in which MPI_Type_get_contents tells it, and the type
// map that follows from that by the standard's definitions. No MPI in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "types/type_map.hpp"

namespace types {

enum class Combiner : std::uint8_t {
  named,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  resized,
};

/// A predefined datatype that trees end in.
struct Named {
  const char* name;
  std::vector<Entry> entries;
};

/// All of them. A tree names them by their index.
const std::vector<Named>& all_named();

/// Values of the integers that stand for a constant; MPI's own differ between implementations.
enum Order : std::int64_t { order_c, order_fortran };
enum Distribution : std::int64_t { distribute_block, distribute_cyclic, distribute_none };
constexpr std::int64_t default_argument = -1;  // of a distribution

/// A constructor with its arguments: integers and addresses as MPI_Type_get_contents would return them.
struct Tree {
  Combiner combiner = Combiner::named;
  std::size_t name = 0;  // of a named one: index in all_named()
  std::vector<std::int64_t> integers;
  std::vector<std::int64_t> addresses;
  std::vector<Tree> children;

  bool operator==(const Tree&) const = default;
};

/// The type map of a tree.
TypeMap map_of(const Tree& tree);

/// The type map of a constructor whose children have these type maps.
TypeMap map_of(const Tree& tree, std::span<const TypeMap> children);

/// How many entries that map has, without making it.
std::int64_t entries_of(const Tree& tree, std::span<const TypeMap> children);

/// A darray's or subarray's parts of its integers: array number `which` of those with one integer per dimension.
std::span<const std::int64_t> dimensions(const Tree& tree, std::size_t which);

int depth(const Tree& tree);

/// The tree as lines of text, each constructor with its arguments, its children below it, indented.
std::string text(const Tree& tree, int indentation = 0);

/// Trees that have a bit less in them: one part left out, or one count made smaller.
std::vector<Tree> simpler(const Tree& tree);

}  // namespace types
