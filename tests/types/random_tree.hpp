// SPDX-License-Identifier: BSD-3-Clause
// Random type trees of bounded size, and trees whose layout is another one although their signature is the same.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "types/tree.hpp"

namespace types {

using Random = std::mt19937_64;

/// A number from `least` to `most`, each as likely as the others.
std::int64_t between(Random& random, std::int64_t least, std::int64_t most);

/// Whether something happens that does so in `percent` of all cases.
bool chance(Random& random, int percent);

/// What the trees may be like.
struct Taste {
  int depth = 6;
  std::int64_t entries = 4096;        // at most, in the type map
  std::int64_t reach = 1 << 16;       // bytes that data and bounds may lie away from displacement 0
  bool aligned = false;               // displacements suit every basic type, and basic types differ only if their
                                      // alignments do not
  bool empty = true;                  // whether a type map may have no entries
  bool long_double = true;            // whether leaves may hold long double
  bool pairs = true;                  // whether leaves may be pairs
  bool mixed_markers = true;          // whether a struct may have children with and without markers
  bool backward = true;               // whether strides and extents may be negative
  bool darray = true;                 // whether constructors include darray
  std::optional<std::size_t> leaf{};  // the one predefined type that all leaves are
};

/// A tree and its type map.
struct Sample {
  Tree tree;
  TypeMap map;
};

Sample random_sample(Random& random, const Taste& taste);

/// A struct whose signature is that of the first `entries` entries of an array of `map`: with no gaps between the
/// entries, or with `random` at random multiples of `unit` bytes that let nothing overlap.
Sample same_signature(const TypeMap& map, std::int64_t entries, std::int64_t unit, Random* random);

}  // namespace types
