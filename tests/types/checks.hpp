// SPDX-License-Identifier: BSD-3-Clause
// What is compared between a datatype and its type map. Each check throws a Failure that says what differs.
#pragma once

#include "types/datatype.hpp"
#include "types/random_tree.hpp"

namespace types {

/// What the trees of messages may be like, and checks that can be left out.
struct Scope {
  Taste taste{};
  bool bottom = true;
  bool external = true;
  bool elements = true;  // MPI_Get_elements
};

/// A datatype under test. The random numbers are the same on every rank, so all ranks do the same with it.
struct Subject {
  const Tree& tree;
  const TypeMap& map;
  MPI_Datatype type;
  std::int64_t count;  // elements to move
  bool receivable;     // whether no byte belongs to two entries of that many elements
  Random& random;
  const Scope& scope;

  std::int64_t entries() const { return static_cast<std::int64_t>(map.entries.size()); }
};

/// Size, bounds and true bounds.
void check_bounds(const Subject& subject);
/// MPI_Pack: in one call, and element by element.
void check_pack(const Subject& subject);
/// MPI_Pack from MPI_BOTTOM, the type having absolute addresses.
void check_bottom(const Subject& subject);
/// MPI_Unpack: in one call, and element by element.
void check_unpack(const Subject& subject);
/// MPI_Type_get_envelope and MPI_Type_get_contents, and what can be made from them again.
void check_contents(const Subject& subject);
/// Pack_external, Unpack_external and their sizes.
void check_external(const Subject& subject);
/// A message to the next rank, or to this one, which arrives with another layout of the same signature.
void check_exchange(const Subject& subject);
/// The same with a message that may end within an element: what arrived where, and what the status tells.
void check_partial(const Subject& subject);

/// Which check failed first and what it said. Nothing failed if both are empty.
struct Outcome {
  std::string check;
  std::string text;

  bool failed() const { return !check.empty(); }
};

/// Runs all checks on a tree. All ranks call it with equal arguments.
Outcome check_all(const Tree& tree, const TypeMap& map, std::uint64_t seed, const Scope& scope);

/// Memory for the subject's elements with random bytes in it.
Memory random_memory(const TypeMap& map, std::int64_t count, Random& random);

/// Throws a Failure if two streams or memories differ: where, and what stands there.
void expect_equal(const Bytes& found, const Bytes& expected, const char* what);

template <typename Number>
void expect_equal(Number found, std::type_identity_t<Number> expected, const char* what) {
  if (found == expected) return;
  throw Failure{std::string(what) + " is " + std::to_string(found) + ", not " + std::to_string(expected)};
}

}  // namespace types
