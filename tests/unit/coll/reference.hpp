// SPDX-License-Identifier: BSD-3-Clause
// What tests of collective algorithms share: the cases that each is run with, data that tell where they come from, and
// operators by which a wrong order shows.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "coll/channel/algorithm.hpp"
#include "dtype/op.hpp"
#include "model.hpp"

namespace bowline::coll {

using Bytes = std::vector<std::byte>;

/// The algorithms of an operation, for testing::ValuesIn, and the names of the tests made of them.
std::vector<const Algorithm*> all_of(Operation operation);
std::string name_of_algorithm(const testing::TestParamInfo<const Algorithm*>& info);

/// One run of an algorithm.
struct Case {
  const Algorithm& algorithm;
  std::uint32_t seed;
  int size;
  int root;
  std::size_t count;  ///< of elements in a vector, or in a block
  std::size_t segment_elements;
  bool in_place;
  bool over_engines = false;  ///< otherwise over the model

  std::string describe() const;
};

/// Which cases there are: the numbers of elements and the lengths of segments that the operation is run with (one that
/// is not segmented with 0 only), and whether it has a root and an in-place form.
struct Cases {
  std::vector<std::size_t> counts = {0, 1, 7, 8, 9};
  std::vector<std::size_t> segments = {0, 1, 4, 100};
  bool rooted = true;
  bool in_place = true;
  bool over_engines = false;  ///< then with teams of five only
};

/// Short ones and long ones, by several protocols at once.
inline Cases cases_over_engines(bool rooted) {
  return {.counts = {0, 1, 5000}, .segments = {0, 700}, .rooted = rooted, .over_engines = true};
}

/// Calls `run` for every team size that the algorithm serves, every root (of large teams some), count, segment, and in
/// place or not; each with every seed. Stops at the first failure and names the case.
void for_all_cases(const Algorithm& algorithm, const Cases& cases, const std::function<void(const Case&)>& run);

/// Lets every member run the algorithm with its arguments. Returns how many transfers each has sent over the model.
std::vector<int> run_case(const Case& now, const std::vector<Arguments>& arguments);

/// Data that differ by member, place and seed.
Bytes pattern(std::uint32_t seed, int member, std::size_t bytes);

/// What a user's function has seen.
struct Calls {
  std::size_t times = 0;
  std::size_t longest = 0;  ///< most elements in one call
};

/// An operator and operands for it.
class ReferenceOperator {
 public:
  using Operand = std::function<void(int member, std::size_t place, std::byte* element)>;
  ReferenceOperator(std::string operator_name, const dtype::Op& op, const dtype::Datatype& type, Operand operand)
      : name(std::move(operator_name)), reduction(op, type), operand_(std::move(operand)) {}

  /// The vector that a member contributes.
  Bytes operand(int member, std::size_t count) const;
  /// The operands of members first ... last - 1, combined one after the other from left to right.
  Bytes combined(int first, int last, std::size_t count) const;

  std::string name;
  Reduction reduction;

 private:
  Operand operand_;
};

/// Those by which reductions are tested: the predefined sum, and two functions of the user that are associative but not
/// commutative: the product of 2x2 matrices modulo 2^32, and the concatenation of strings, whose result can be read.
class ReferenceOperators {
 public:
  ReferenceOperators();
  ReferenceOperators(const ReferenceOperators&) = delete;
  ReferenceOperators& operator=(const ReferenceOperators&) = delete;
  ~ReferenceOperators();

  /// All that the algorithm can combine with: those that are not commutative only if it keeps the order.
  std::vector<const ReferenceOperator*> serving(const Algorithm& algorithm) const;
  const ReferenceOperator& sum() const { return operators_[0]; }
  const ReferenceOperator& matrix() const { return operators_[1]; }
  /// What the user's functions have seen since it was last reset.
  Calls& calls() { return calls_; }

 private:
  Calls calls_;
  std::vector<dtype::Op*> made_;
  std::vector<dtype::Datatype*> types_;
  std::vector<ReferenceOperator> operators_;
};

}  // namespace bowline::coll
