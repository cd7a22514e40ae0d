// SPDX-License-Identifier: BSD-3-Clause
// Reduction: the operator and datatype of a collective reduction, and how its data are moved and combined.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "dtype/op.hpp"

namespace bowline::coll {

/// Combines elements of `type` by `op`; keeps the type and the operator alive.
///
/// Algorithms move and combine work data: the elements as they lie in memory, including the padding of pairs, or, if
/// the type has holes and a user's function combines it, or if the type is a view of sections, the packed elements.
class Reduction {
 public:
  Reduction(const dtype::Op& op, const dtype::Datatype& type) noexcept
      : op_(op),
        type_(type),
        packed_(!type.predefined() && !is_dense(type)),
        unpacked_to_combine_(packed_ && !is_dense(type.given())),
        element_(packed_ ? type.size() : static_cast<std::size_t>(type.extent())) {}

  /// Whether operands may be combined in any order instead of the order of ranks.
  bool commutative() const noexcept { return op_->commutative(); }
  /// Whether the layout of the work data differs from that of the user's buffers.
  bool packed() const noexcept { return packed_; }
  /// Bytes of one element in the work data.
  std::size_t element() const noexcept { return element_; }
  const dtype::Op& op() const noexcept { return *op_; }
  const dtype::Datatype& type() const noexcept { return *type_; }

  /// From `count` elements in the user's buffer to work data, and back.
  void take(const void* buffer, std::size_t count, std::byte* work) const {
    if (!packed_) {
      std::memcpy(work, buffer, count * element_);
    } else {
      dtype::pack(*type_, count, buffer, work);
    }
  }
  void give(std::span<const std::byte> work, void* buffer) const {
    if (!packed_) {
      std::memcpy(buffer, work.data(), work.size());
    } else {
      dtype::unpack(*type_, work.data(), work.size(), buffer);
    }
  }

  /// inout = left (op) inout, for as many elements as `inout` holds. `left` is the operand of the lower ranks.
  void combine(const std::byte* left, std::span<std::byte> inout) const {
    if (inout.empty()) return;
    if (unpacked_to_combine_) [[unlikely]]
      return combine_packed(left, inout);
    op_->apply(left, inout.data(), inout.size() / element_, type_->given());
  }

 private:
  static bool is_dense(const dtype::Datatype& type) noexcept { return type.contiguous() && type.origin() == 0; }
  void combine_packed(const std::byte* left, std::span<std::byte> inout) const;

  dtype::OpRef op_;
  dtype::TypeRef type_;
  bool packed_;
  bool unpacked_to_combine_;
  std::size_t element_;
};

}  // namespace bowline::coll
