// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "types/random_tree.hpp"

namespace types {

namespace {

// The predefined type that has just this entry.
Tree leaf_of(Basic basic) {
  std::size_t name = 0;
  while (all_named()[name].entries[0].basic != basic) ++name;
  return {Combiner::named, name, {}, {}, {}};
}

// Places of blocks of these sizes in any order, multiples of `unit`, with gaps between.
std::vector<std::int64_t> scattered(const std::vector<std::int64_t>& sizes, std::int64_t unit, Random& random) {
  std::vector<std::size_t> sequence(sizes.size());
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  std::shuffle(sequence.begin(), sequence.end(), random);
  std::vector<std::int64_t> places(sizes.size());
  std::int64_t at = between(random, -64 / unit, 64 / unit);
  for (const std::size_t i : sequence) {
    places[i] = at * unit;
    at += (sizes[i] + between(random, 0, 24)) / unit + 1;
  }
  return places;
}

}  // namespace

Sample same_signature(const TypeMap& map, std::int64_t entries, std::int64_t unit, Random* random) {
  Tree tree{Combiner::structure, 0, {0}, {}, {}};
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < entries; ++i) {
    const Basic basic = map.entries[static_cast<std::size_t>(i) % map.entries.size()].basic;
    const Tree leaf = leaf_of(basic);
    const bool same = !tree.children.empty() && tree.children.back() == leaf;
    if (!same || (random != nullptr && chance(*random, 5))) {  // a new block
      tree.integers.push_back(0);
      sizes.push_back(0);
      tree.children.push_back(leaf);
    }
    ++tree.integers.back();
    sizes.back() += facts(basic).size;
  }
  tree.integers[0] = static_cast<std::int64_t>(sizes.size());
  if (random != nullptr) {
    tree.addresses = scattered(sizes, unit, *random);
  } else {
    tree.addresses.resize(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), tree.addresses.begin(), std::int64_t{0});
  }
  TypeMap made = map_of(tree);
  return {std::move(tree), std::move(made)};
}

}  // namespace types
