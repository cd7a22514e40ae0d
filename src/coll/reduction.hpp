// SPDX-License-Identifier: BSD-3-Clause
// Reduction: what a collective reduction combines, and how.
#pragma once

#include <cstddef>

#include "dtype/op.hpp"

namespace bowline::coll {

/// `count` elements of `type`, combined by `op`. The operator lives as long as this; the type has to.
class Reduction {
 public:
  Reduction(const dtype::Op& op, const dtype::Datatype& type, std::size_t count) noexcept
      : op_(op), type_(type), count_(count) {}

  std::size_t count() const noexcept { return count_; }
  const dtype::Datatype& type() const noexcept { return type_; }
  /// Whether operands may be combined in any order, not only in that of the ranks.
  bool commutative() const noexcept { return op_->commutative(); }

  /// Bytes of one member's data, as they are moved: as they lie in memory, holes included.
  std::size_t bytes() const noexcept { return count_ * static_cast<std::size_t>(type_.extent()); }

  /// inout = in (op) inout, where `in` stands left: from the lower ranks.
  void combine(const std::byte* in, std::byte* inout) const { op_->apply(in, inout, count_, type_); }

 private:
  dtype::OpRef op_;
  const dtype::Datatype& type_;
  std::size_t count_;
};

}  // namespace bowline::coll
