// SPDX-License-Identifier: BSD-3-Clause
// Operators for tests of reductions: a sum, and a product that keeps to the order of its operands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coll/reduction.hpp"
#include "dtype/op.hpp"
#include "dtype/predefined.hpp"

namespace bowline::coll {

using Element = std::uint64_t;
using Vector = std::vector<Element>;

/// A matrix of two rows and columns in one element: four numbers modulo 2^16, row by row.
inline Element matrix_product(Element left, Element right) {
  const auto at = [](Element matrix, int index) { return static_cast<std::uint32_t>(matrix >> (16 * index) & 0xffff); };
  Element product = 0;
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 2; ++column) {
      const std::uint32_t sum = at(left, 2 * row) * at(right, column) + at(left, 2 * row + 1) * at(right, 2 + column);
      product |= static_cast<Element>(sum & 0xffff) << (16 * (2 * row + column));
    }
  }
  return product;
}

/// An operator with its naive reference. `longest` is the largest count that it has been called with.
class TestOperator {
 public:
  explicit TestOperator(bool matrices)
      : op_(dtype::Op::make({matrices ? multiply : add, this}, !matrices)),
        matrices_(matrices),
        reduction_(op_, *dtype::predefined_datatype(mpi_uint64)) {}
  TestOperator(const TestOperator&) = delete;
  TestOperator& operator=(const TestOperator&) = delete;
  ~TestOperator() { op_.drop_handle(); }

  const Reduction& reduction() const noexcept { return reduction_; }
  const char* name() const noexcept { return matrices_ ? "matrix product" : "sum"; }

  /// The vectors of the members first to last, combined in their order.
  Vector combine(std::span<const Vector> vectors) const {
    Vector result = vectors.front();
    for (const Vector& next : vectors.subspan(1)) {
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = matrices_ ? matrix_product(result[i], next[i]) : result[i] + next[i];
      }
    }
    return result;
  }

  std::size_t longest = 0;

 private:
  static constexpr std::uintptr_t mpi_uint64 = 0x259;

  template <class Combine>
  static void each(void* context, const void* in, void* inout, std::size_t count, Combine combine) {
    auto& self = *static_cast<TestOperator*>(context);
    self.longest = std::max(self.longest, count);
    const auto* left = static_cast<const Element*>(in);
    auto* right = static_cast<Element*>(inout);
    for (std::size_t i = 0; i < count; ++i) right[i] = combine(left[i], right[i]);
  }
  static void add(void* context, const void* in, void* inout, std::size_t count, const dtype::Datatype&) {
    each(context, in, inout, count, [](Element left, Element right) { return left + right; });
  }
  static void multiply(void* context, const void* in, void* inout, std::size_t count, const dtype::Datatype&) {
    each(context, in, inout, count, matrix_product);
  }

  dtype::Op& op_;
  bool matrices_;
  Reduction reduction_;
};

/// What each member contributes: matrices with an inverse, so that no factor hides another.
inline std::vector<Vector> contributions(int members, std::size_t count) {
  std::vector<Vector> vectors(static_cast<std::size_t>(members), Vector(count));
  Element state = 1;
  for (Vector& vector : vectors) {
    for (Element& element : vector) {
      state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's linear congruential generator
      const Element shear = state >> 48;
      const Element upper = 1 | shear << 16 | Element{1} << 48;
      const Element lower = 1 | (shear ^ 0x5a5a) << 32 | Element{1} << 48;
      element = matrix_product(upper, lower);
    }
  }
  return vectors;
}

}  // namespace bowline::coll
