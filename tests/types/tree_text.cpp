// SPDX-License-Identifier: BSD-3-Clause
// Trees for people: the predefined types they end in, trees as text, and simpler trees to look at instead.
#include <algorithm>

#include "types/tree.hpp"

namespace types {

namespace {

using Integers = std::span<const std::int64_t>;

const char* word(Combiner combiner) {
  static constexpr const char* words[] = {"named",    "dup",      "contiguous",    "vector",         "hvector",
                                          "indexed",  "hindexed", "indexed_block", "hindexed_block", "struct",
                                          "subarray", "darray",   "resized"};
  return words[static_cast<std::size_t>(combiner)];
}

std::string one(const char* label, std::int64_t value) {
  return std::string(" ") + label + " " + std::to_string(value);
}

std::string list(const char* label, Integers values) {
  std::string line = std::string(" ") + label + " [";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) line += " ";
    line += std::to_string(values[i]);
  }
  return line + "]";
}

std::string order_word(std::int64_t order) {
  return order == order_c ? " order C" : " order Fortran";
}

std::string arguments(const Tree& tree) {
  const Integers integers = tree.integers, addresses = tree.addresses;
  const auto count = static_cast<std::size_t>(integers.empty() ? 0 : integers[0]);
  switch (tree.combiner) {
    case Combiner::named:
    case Combiner::dup:
      return "";
    case Combiner::contiguous:
      return one("count", integers[0]);
    case Combiner::vector:
      return one("count", integers[0]) + one("blocklength", integers[1]) + one("stride", integers[2]);
    case Combiner::hvector:
      return one("count", integers[0]) + one("blocklength", integers[1]) + one("stride in bytes", addresses[0]);
    case Combiner::indexed:
      return list("blocklengths", integers.subspan(1, count)) + list("displacements", integers.subspan(1 + count));
    case Combiner::hindexed:
    case Combiner::structure:
      return list("blocklengths", integers.subspan(1)) + list("displacements in bytes", addresses);
    case Combiner::indexed_block:
      return one("blocklength", integers[1]) + list("displacements", integers.subspan(2));
    case Combiner::hindexed_block:
      return one("blocklength", integers[1]) + list("displacements in bytes", addresses);
    case Combiner::subarray:
      return list("sizes", dimensions(tree, 0)) + list("subsizes", dimensions(tree, 1)) +
             list("starts", dimensions(tree, 2)) + order_word(integers.back());
    case Combiner::darray:
      return one("processes", integers[0]) + one("rank", integers[1]) + list("gsizes", dimensions(tree, 0)) +
             list("distributions (0 block, 1 cyclic, 2 none)", dimensions(tree, 1)) +
             list("arguments (-1 default)", dimensions(tree, 2)) + list("psizes", dimensions(tree, 3)) +
             order_word(integers.back());
    case Combiner::resized:
      return one("lb", addresses[0]) + one("extent", addresses[1]);
  }
  return "";
}

Tree with_integer(Tree tree, std::size_t index, std::int64_t value) {
  tree.integers[index] = value;
  return tree;
}

// The same without the block number `index`. What belongs to a block stands at that place in each of several lists.
Tree without_block(Tree tree, std::size_t index) {
  const auto count = static_cast<std::size_t>(tree.integers[0]--);
  const auto at = [](auto& list, std::size_t place) { return list.begin() + static_cast<std::ptrdiff_t>(place); };
  const bool one_length = tree.combiner == Combiner::indexed_block || tree.combiner == Combiner::hindexed_block;
  if (tree.addresses.empty()) {
    tree.integers.erase(at(tree.integers, (one_length ? 2 : 1 + count) + index));
  } else {
    tree.addresses.erase(at(tree.addresses, index));
  }
  if (!one_length) tree.integers.erase(at(tree.integers, 1 + index));
  if (tree.combiner == Combiner::structure) tree.children.erase(at(tree.children, index));
  return tree;
}

// The same with one dimension fewer. A dimension over which several processes are spread has to stay.
Tree without_dimension(Tree tree, std::size_t index) {
  const bool darray = tree.combiner == Combiner::darray;
  const std::size_t head = darray ? 3 : 1;
  const auto count = static_cast<std::size_t>(tree.integers[head - 1]--);
  for (std::size_t which = darray ? 4 : 3; which-- > 0;) {
    tree.integers.erase(tree.integers.begin() + static_cast<std::ptrdiff_t>(head + which * count + index));
  }
  return tree;
}

void simplify_arguments(const Tree& tree, std::vector<Tree>& found) {
  switch (tree.combiner) {
    case Combiner::contiguous:
    case Combiner::vector:
    case Combiner::hvector:
      for (std::size_t i = 0; i < std::min<std::size_t>(tree.integers.size(), 2); ++i) {
        if (tree.integers[i] > 2) found.push_back(with_integer(tree, i, tree.integers[i] / 2));
        if (tree.integers[i] > 0) found.push_back(with_integer(tree, i, tree.integers[i] - 1));
      }
      break;
    case Combiner::indexed:
    case Combiner::hindexed:
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
    case Combiner::structure:
      for (std::int64_t i = 0; i < tree.integers[0]; ++i) {
        found.push_back(without_block(tree, static_cast<std::size_t>(i)));
      }
      break;
    case Combiner::subarray:
    case Combiner::darray:
      for (std::size_t i = 0; dimensions(tree, 0).size() > 1 && i < dimensions(tree, 0).size(); ++i) {
        if (tree.combiner == Combiner::subarray || dimensions(tree, 3)[i] == 1) {
          found.push_back(without_dimension(tree, i));
        }
      }
      break;
    case Combiner::named:
    case Combiner::dup:
    case Combiner::resized:
      break;
  }
}

}  // namespace

const std::vector<Named>& all_named() {
  static const std::vector<Named> table{
      {"MPI_BYTE", {{Basic::byte, 0}}},
      {"MPI_CHAR", {{Basic::character, 0}}},
      {"MPI_SHORT", {{Basic::int16, 0}}},
      {"MPI_INT", {{Basic::integer, 0}}},
      {"MPI_INT64_T", {{Basic::int64, 0}}},
      {"MPI_FLOAT", {{Basic::real, 0}}},
      {"MPI_DOUBLE", {{Basic::double_real, 0}}},
      {"MPI_C_DOUBLE_COMPLEX", {{Basic::complex, 0}}},
      {"MPI_LONG_DOUBLE", {{Basic::long_double, 0}}},
      {"MPI_SHORT_INT", {{Basic::int16, 0}, {Basic::integer, 4}}},
      {"MPI_2INT", {{Basic::integer, 0}, {Basic::integer, 4}}},
      {"MPI_DOUBLE_INT", {{Basic::double_real, 0}, {Basic::integer, 8}}},
      {"MPI_LONG_DOUBLE_INT", {{Basic::long_double, 0}, {Basic::integer, sizeof(long double)}}},
  };
  return table;
}

int depth(const Tree& tree) {
  int deepest = 0;
  for (const Tree& child : tree.children) deepest = std::max(deepest, depth(child) + 1);
  return deepest;
}

std::string text(const Tree& tree, int indentation) {
  std::string lines(static_cast<std::size_t>(indentation), ' ');
  if (tree.combiner == Combiner::named) return lines + all_named()[tree.name].name + "\n";
  lines += word(tree.combiner) + arguments(tree) + "\n";
  for (const Tree& child : tree.children) lines += text(child, indentation + 2);
  return lines;
}

std::vector<Tree> simpler(const Tree& tree) {
  std::vector<Tree> found = tree.children;
  simplify_arguments(tree, found);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    for (Tree& child : simpler(tree.children[i])) {
      found.push_back(tree);
      found.back().children[i] = std::move(child);
    }
  }
  return found;
}

}  // namespace types
