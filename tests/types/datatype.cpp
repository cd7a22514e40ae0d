// SPDX-License-Identifier: BSD-3-Clause
#include "types/datatype.hpp"

#include <array>
#include <cstring>

namespace types {

namespace {

// In the order of all_named().
const std::array<MPI_Datatype, 13>& handles() {
  static const std::array<MPI_Datatype, 13> table{MPI_BYTE,           MPI_CHAR,      MPI_SHORT,  MPI_INT,
                                                  MPI_INT64_T,        MPI_FLOAT,     MPI_DOUBLE, MPI_C_DOUBLE_COMPLEX,
                                                  MPI_LONG_DOUBLE,    MPI_SHORT_INT, MPI_2INT,   MPI_DOUBLE_INT,
                                                  MPI_LONG_DOUBLE_INT};
  return table;
}

// In the order of Combiner.
const std::array<int, 13>& combiners() {
  static const std::array<int, 13> table{MPI_COMBINER_NAMED,    MPI_COMBINER_DUP,           MPI_COMBINER_CONTIGUOUS,
                                         MPI_COMBINER_VECTOR,   MPI_COMBINER_HVECTOR,       MPI_COMBINER_INDEXED,
                                         MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
                                         MPI_COMBINER_STRUCT,   MPI_COMBINER_SUBARRAY,      MPI_COMBINER_DARRAY,
                                         MPI_COMBINER_RESIZED};
  return table;
}

// A tree's constants and the implementation's. Each pair is {ours, theirs}.
using Constants = std::array<std::array<std::int64_t, 2>, 3>;
const Constants& orders() {
  static const Constants table{{{order_c, MPI_ORDER_C}, {order_fortran, MPI_ORDER_FORTRAN}, {-1, -1}}};
  return table;
}
const Constants& distributions() {
  static const Constants table{{{distribute_block, MPI_DISTRIBUTE_BLOCK},
                                {distribute_cyclic, MPI_DISTRIBUTE_CYCLIC},
                                {distribute_none, MPI_DISTRIBUTE_NONE}}};
  return table;
}

std::int64_t translated(const Constants& table, std::int64_t value, bool to_mpi) {
  for (const auto& pair : table) {
    if (pair[to_mpi ? 0 : 1] == value) return pair[to_mpi ? 1 : 0];
  }
  throw Failure{"the contents of a type have an unknown constant, " + std::to_string(value)};
}

// Puts the implementation's constants in place of the tree's, or the other way round.
void translate(Tree& tree, bool to_mpi) {
  if (tree.combiner != Combiner::subarray && tree.combiner != Combiner::darray) return;
  tree.integers.back() = translated(orders(), tree.integers.back(), to_mpi);
  if (tree.combiner == Combiner::subarray) return;
  const auto count = static_cast<std::size_t>(tree.integers[2]);
  const std::int64_t theirs = MPI_DISTRIBUTE_DFLT_DARG;
  for (std::size_t i = 3 + count; i < 3 + 2 * count; ++i) {
    tree.integers[i] = translated(distributions(), tree.integers[i], to_mpi);
    std::int64_t& argument = tree.integers[i + count];
    if (argument == (to_mpi ? default_argument : theirs)) argument = to_mpi ? theirs : default_argument;
  }
}

template <typename To>
std::vector<To> converted(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

// The constructor's call. `old` are the datatypes of the children.
MPI_Datatype construct(const Tree& tree, const MPI_Datatype* old) {
  Tree mine = tree;
  mine.children.clear();
  translate(mine, true);
  const std::vector<int> integers = converted<int>(mine.integers);
  const std::vector<MPI_Aint> addresses = converted<MPI_Aint>(mine.addresses);
  const int* ints = integers.data();
  const MPI_Aint* aints = addresses.data();
  MPI_Datatype made = MPI_DATATYPE_NULL;
  switch (tree.combiner) {
    case Combiner::named:
      return handles()[tree.name];
    case Combiner::dup:
      call(MPI_Type_dup(old[0], &made), "MPI_Type_dup");
      break;
    case Combiner::contiguous:
      call(MPI_Type_contiguous(ints[0], old[0], &made), "MPI_Type_contiguous");
      break;
    case Combiner::vector:
      call(MPI_Type_vector(ints[0], ints[1], ints[2], old[0], &made), "MPI_Type_vector");
      break;
    case Combiner::hvector:
      call(MPI_Type_create_hvector(ints[0], ints[1], aints[0], old[0], &made), "MPI_Type_create_hvector");
      break;
    case Combiner::indexed:
      call(MPI_Type_indexed(ints[0], ints + 1, ints + 1 + ints[0], old[0], &made), "MPI_Type_indexed");
      break;
    case Combiner::hindexed:
      call(MPI_Type_create_hindexed(ints[0], ints + 1, aints, old[0], &made), "MPI_Type_create_hindexed");
      break;
    case Combiner::indexed_block:
      call(MPI_Type_create_indexed_block(ints[0], ints[1], ints + 2, old[0], &made), "MPI_Type_create_indexed_block");
      break;
    case Combiner::hindexed_block:
      call(MPI_Type_create_hindexed_block(ints[0], ints[1], aints, old[0], &made), "MPI_Type_create_hindexed_block");
      break;
    case Combiner::structure:
      call(MPI_Type_create_struct(ints[0], ints + 1, aints, old, &made), "MPI_Type_create_struct");
      break;
    case Combiner::subarray:
      call(MPI_Type_create_subarray(ints[0], ints + 1, ints + 1 + ints[0], ints + 1 + 2 * ints[0], integers.back(),
                                    old[0], &made),
           "MPI_Type_create_subarray");
      break;
    case Combiner::darray: {
      const int* lists = ints + 3;
      const int n = ints[2];
      call(MPI_Type_create_darray(ints[0], ints[1], n, lists, lists + n, lists + 2 * n, lists + 3 * n, integers.back(),
                                  old[0], &made),
           "MPI_Type_create_darray");
      break;
    }
    case Combiner::resized:
      call(MPI_Type_create_resized(old[0], aints[0], aints[1], &made), "MPI_Type_create_resized");
      break;
  }
  return made;
}

Combiner combiner_of(int theirs) {
  for (std::size_t i = 0; i < combiners().size(); ++i) {
    if (combiners()[i] == theirs) return static_cast<Combiner>(i);
  }
  throw Failure{"MPI_Type_get_envelope returned an unknown combiner, " + std::to_string(theirs)};
}

Tree named_tree(MPI_Datatype datatype) {
  for (std::size_t i = 0; i < handles().size(); ++i) {
    if (handles()[i] == datatype) return {Combiner::named, i, {}, {}, {}};
  }
  throw Failure{"the contents of a type name a predefined one that is not in the tree"};
}

}  // namespace

void call(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING + 1> sentence{};
  int length = 0;
  MPI_Error_string(result, sentence.data(), &length);
  throw Failure{std::string(what) + " returned an error: " + sentence.data()};
}

Datatype::Datatype(const Tree& tree) : own_(tree.combiner != Combiner::named) {
  std::vector<Datatype> children;
  std::vector<MPI_Datatype> old;
  for (const Tree& child : tree.children) old.push_back(children.emplace_back(child).get());
  handle_ = construct(tree, old.data());
}

Datatype::~Datatype() {
  if (own_ && handle_ != MPI_DATATYPE_NULL) MPI_Type_free(&handle_);
}

Datatype& Datatype::commit() & {
  call(MPI_Type_commit(&handle_), "MPI_Type_commit");
  return *this;
}

Datatype Datatype::commit() && {
  return std::move(static_cast<Datatype&>(*this).commit());
}

Tree read_back(MPI_Datatype datatype) {
  int integers = -1, addresses = -1, types = -1, combiner = -1;
  call(MPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  if (combiner == MPI_COMBINER_NAMED) return named_tree(datatype);
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  std::vector<int> ints(size(integers));
  std::vector<MPI_Aint> aints(size(addresses));
  std::vector<MPI_Datatype> children(size(types), MPI_DATATYPE_NULL);
  call(MPI_Type_get_contents(datatype, integers, addresses, types, ints.data(), aints.data(), children.data()),
       "MPI_Type_get_contents");
  Tree tree{combiner_of(combiner), 0, {ints.begin(), ints.end()}, {aints.begin(), aints.end()}, {}};
  translate(tree, false);
  for (MPI_Datatype& child : children) {
    tree.children.push_back(read_back(child));
    if (tree.children.back().combiner != Combiner::named) call(MPI_Type_free(&child), "MPI_Type_free");
  }
  return tree;
}

}  // namespace types
