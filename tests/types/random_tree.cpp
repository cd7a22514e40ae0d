// SPDX-License-Identifier: BSD-3-Clause
// Trees grow from their leaves: a constructor's arguments are chosen knowing what it is applied to, so that most
// results are neither empty nor hopelessly overlapping, and none is too large.
#include "types/random_tree.hpp"

#include <algorithm>
#include <numeric>

namespace types {

namespace {

constexpr std::int64_t strictest_alignment = 16;
constexpr std::size_t default_leaf = 6;  // MPI_DOUBLE

class Generator {
 public:
  Generator(Random& random, const Taste& taste) : random_(random), taste_(taste) {}

  Sample sample(int depth) {
    if (depth == 0) return leaf();
    Sample first = sample(depth - 1);
    for (int attempt = 0; attempt < 4; ++attempt) {
      const auto combiner = static_cast<Combiner>(pick(1, static_cast<std::int64_t>(Combiner::resized)));
      if (combiner == Combiner::darray && !taste_.darray) continue;
      Tree tree{combiner, 0, {}, {}, {first.tree}};
      std::vector<TypeMap> maps{first.map};
      for (std::int64_t more = combiner == Combiner::structure ? pick(0, 3) : 0; more > 0; --more) {
        Sample another = sample(static_cast<int>(pick(0, depth - 1)));
        tree.children.push_back(std::move(another.tree));
        maps.push_back(std::move(another.map));
      }
      choose_arguments(tree, maps);
      if (entries_of(tree, maps) > taste_.entries || (!taste_.mixed_markers && mixed(maps))) continue;
      TypeMap map = map_of(tree, maps);
      if (suits(map)) return {std::move(tree), std::move(map)};
    }
    return first;
  }

 private:
  Random& random_;
  const Taste& taste_;

  std::int64_t pick(std::int64_t least, std::int64_t most) { return between(random_, least, most); }
  bool perhaps(int percent) { return chance(random_, percent); }

  Sample leaf() {
    const auto last = static_cast<std::int64_t>(all_named().size()) - 1;
    Tree tree{Combiner::named, taste_.leaf ? *taste_.leaf : static_cast<std::size_t>(pick(0, last)), {}, {}, {}};
    TypeMap map = map_of(tree);
    const Basic basic = map.entries[0].basic;
    const bool unwanted = (taste_.aligned && !taste_.leaf && facts(basic).alignment != 8) ||
                          (!taste_.long_double && basic == Basic::long_double) ||
                          (!taste_.pairs && map.entries.size() > 1);
    if (unwanted) map = map_of(tree = {Combiner::named, default_leaf, {}, {}, {}});
    return {std::move(tree), std::move(map)};
  }

  static bool mixed(const std::vector<TypeMap>& maps) {
    const auto differs = [&](const TypeMap& map) { return map.markers.has_value() != maps[0].markers.has_value(); };
    return std::any_of(maps.begin(), maps.end(), differs);
  }

  bool suits(const TypeMap& map) const {
    const Interval data = map.true_bounds(), bounds = map.bounds();
    return (taste_.empty || !map.entries.empty()) && std::min({data.low, bounds.low, bounds.high}) >= -taste_.reach &&
           std::max({data.high, bounds.low, bounds.high}) <= taste_.reach;
  }

  // A count: mostly small, now and then as large as what is counted allows.
  std::int64_t count_of(std::int64_t entries_each) {
    const std::int64_t most = std::max<std::int64_t>(1, taste_.entries / std::max<std::int64_t>(1, entries_each));
    const std::int64_t kind = pick(0, 99);
    if (kind < 4) return taste_.empty ? 0 : 1;
    if (kind < 20) return 1;
    return pick(1, std::min<std::int64_t>(most, kind < 75 ? 4 : kind < 95 ? 16 : 512));
  }

  std::int64_t length_of(std::int64_t entries_each) { return perhaps(40) ? 1 : count_of(entries_each); }

  // A distance in bytes that every basic type can stand, or any near it.
  std::int64_t in_bytes(std::int64_t bytes) {
    if (!taste_.aligned && perhaps(30)) return bytes + pick(0, 9);
    const std::int64_t rest = bytes % strictest_alignment;
    return rest == 0 ? bytes : bytes - rest + (rest > 0 ? strictest_alignment : 0);
  }

  // From the beginning of one block to that of the next, `length` being the shortest way without an overlap.
  std::int64_t step(std::int64_t length, std::int64_t gap) {
    if (perhaps(8)) return pick(taste_.backward ? -length : 0, length);
    const std::int64_t forward = perhaps(25) ? length : length + pick(1, std::max<std::int64_t>(gap, 1));
    return taste_.backward && perhaps(25) ? -forward : forward;
  }

  // Places of blocks of these lengths, in any order, mostly without overlap, some of them negative.
  std::vector<std::int64_t> places(const std::vector<std::int64_t>& lengths, std::int64_t gap) {
    std::vector<std::size_t> sequence(lengths.size());
    std::iota(sequence.begin(), sequence.end(), std::size_t{0});
    if (perhaps(40)) std::shuffle(sequence.begin(), sequence.end(), random_);
    std::vector<std::int64_t> found(lengths.size());
    std::int64_t at = perhaps(60) ? 0 : pick(-3 * gap, 3 * gap);
    for (const std::size_t i : sequence) {
      found[i] = at;
      at += perhaps(30) ? lengths[i] : lengths[i] + pick(0, gap);
      if (perhaps(2)) at -= pick(0, lengths[i] + gap);
    }
    return found;
  }

  void choose_arguments(Tree& tree, const std::vector<TypeMap>& maps) {
    const TypeMap& old = maps[0];
    const auto entries = static_cast<std::int64_t>(old.entries.size());
    switch (tree.combiner) {
      case Combiner::named:
      case Combiner::dup:
        break;
      case Combiner::contiguous:
        tree.integers = {count_of(entries)};
        break;
      case Combiner::vector:
      case Combiner::hvector:
        choose_vector(tree, old, entries);
        break;
      case Combiner::indexed:
      case Combiner::hindexed:
      case Combiner::indexed_block:
      case Combiner::hindexed_block:
        choose_blocks(tree, old, entries);
        break;
      case Combiner::structure:
        choose_structure(tree, maps);
        break;
      case Combiner::subarray:
        choose_subarray(tree);
        break;
      case Combiner::darray:
        choose_darray(tree);
        break;
      case Combiner::resized:
        choose_bounds(tree, old);
        break;
    }
  }

  // Bytes that `length` elements side by side take, bounds and data.
  static std::int64_t room(const TypeMap& old, std::int64_t length) {
    const std::int64_t extent = std::abs(old.extent());
    return length == 0 ? 0 : std::max(extent, old.true_bounds().length()) + (length - 1) * extent;
  }

  void choose_vector(Tree& tree, const TypeMap& old, std::int64_t entries) {
    const std::int64_t count = count_of(entries), length = length_of(entries * std::max<std::int64_t>(count, 1));
    tree.integers = {count, length};
    if (tree.combiner == Combiner::vector) {
      tree.integers.push_back(step(length, 5));
    } else {
      tree.addresses = {in_bytes(step(room(old, length), 64))};
    }
  }

  void choose_blocks(Tree& tree, const TypeMap& old, std::int64_t entries) {
    const std::int64_t count = count_of(entries);
    const bool one_length = tree.combiner == Combiner::indexed_block || tree.combiner == Combiner::hindexed_block;
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(count),
                                      length_of(entries * std::max<std::int64_t>(count, 1)));
    const std::int64_t common = count > 0 ? lengths[0] : 1;
    for (std::int64_t& length : lengths) length = one_length ? common : length_of(entries * count);
    tree.integers = {count};
    if (one_length) tree.integers.push_back(common);
    if (!one_length) tree.integers.insert(tree.integers.end(), lengths.begin(), lengths.end());
    if (tree.combiner == Combiner::indexed || tree.combiner == Combiner::indexed_block) {
      const std::vector<std::int64_t> at = places(lengths, 4);
      tree.integers.insert(tree.integers.end(), at.begin(), at.end());
      return;
    }
    for (std::int64_t& length : lengths) length = room(old, length);
    for (const std::int64_t at : places(lengths, 48)) tree.addresses.push_back(in_bytes(at));
  }

  void choose_structure(Tree& tree, const std::vector<TypeMap>& maps) {
    std::vector<std::int64_t> rooms;
    tree.integers = {static_cast<std::int64_t>(maps.size())};
    for (const TypeMap& old : maps) {
      const std::int64_t length = length_of(static_cast<std::int64_t>(old.entries.size() * maps.size()));
      tree.integers.push_back(length);
      rooms.push_back(room(old, length) + strictest_alignment);
    }
    const std::vector<std::int64_t> at = places(rooms, 32);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      // What the data begin with is at the place, not displacement 0 of the type.
      tree.addresses.push_back(in_bytes(at[i] - std::min(maps[i].true_bounds().low, maps[i].bounds().low)));
    }
  }

  void choose_subarray(Tree& tree) {
    const std::int64_t dimensions = pick(1, 4);
    std::vector<std::int64_t> sizes, subsizes, starts;
    for (std::int64_t i = 0; i < dimensions; ++i) {
      sizes.push_back(pick(1, 6));
      subsizes.push_back(perhaps(25) ? sizes.back() : pick(1, sizes.back()));
      starts.push_back(pick(0, sizes.back() - subsizes.back()));
    }
    tree.integers = {dimensions};
    for (const auto* list : {&sizes, &subsizes, &starts}) {
      tree.integers.insert(tree.integers.end(), list->begin(), list->end());
    }
    tree.integers.push_back(perhaps(50) ? order_c : order_fortran);
  }

  void choose_darray(Tree& tree) {
    const std::int64_t dimensions = pick(1, 3);
    std::vector<std::int64_t> sizes, distributions, arguments, processes;
    std::int64_t all = 1;
    for (std::int64_t i = 0; i < dimensions; ++i) {
      sizes.push_back(pick(1, 9));
      distributions.push_back(pick(distribute_block, distribute_none));
      processes.push_back(distributions.back() == distribute_none ? 1 : pick(1, 3));
      const std::int64_t enough = (sizes.back() + processes.back() - 1) / processes.back();
      const bool cyclic = distributions.back() == distribute_cyclic;
      arguments.push_back(perhaps(40) || distributions.back() == distribute_none ? default_argument
                          : cyclic                                               ? pick(1, 4)
                                                                                 : pick(enough, enough + 2));
      all *= processes.back();
    }
    tree.integers = {all, pick(0, all - 1), dimensions};
    for (const auto* list : {&sizes, &distributions, &arguments, &processes}) {
      tree.integers.insert(tree.integers.end(), list->begin(), list->end());
    }
    tree.integers.push_back(perhaps(50) ? order_c : order_fortran);
  }

  void choose_bounds(Tree& tree, const TypeMap& old) {
    const Interval bounds = old.bounds(), data = old.true_bounds();
    const std::int64_t kind = pick(0, 99);
    std::int64_t lb = bounds.low, extent = bounds.length();
    if (kind < 20) {
      lb = data.low;
      extent = data.length();
    } else if (kind < 70) {
      lb += pick(-40, 40);
      extent += pick(0, 40);
    } else if (kind < 75) {
      extent = 0;
    } else if (kind < 80 && taste_.backward) {
      extent = -std::max(extent, data.length());
    } else {
      extent = data.length() + pick(0, 64);
    }
    tree.addresses = {in_bytes(lb), in_bytes(extent)};
  }
};

}  // namespace

std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

bool chance(Random& random, int percent) {
  return between(random, 0, 99) < percent;
}

Sample random_sample(Random& random, const Taste& taste) {
  return Generator(random, taste).sample(static_cast<int>(between(random, 0, taste.depth)));
}

}  // namespace types
