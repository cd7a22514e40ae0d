// SPDX-License-Identifier: BSD-3-Clause
// Reduction: what a collective reduction combines, how its data are moved, and how they are combined.
#pragma once

#include <cstddef>
#include <cstring>

#include "dtype/op.hpp"

namespace bowline::coll {

/// `count` elements of `type`, combined by `op`; keeps both alive.
///
/// Algorithms move and combine work data: the elements as they lie in memory, padding of pairs included, or, if the
/// type has holes that only a user's function can reach around, packed.
class Reduction {
 public:
  Reduction(const dtype::Op& op, const dtype::Datatype& type, std::size_t count) noexcept
      : op_(op),
        type_(type),
        count_(count),
        packed_(!type.predefined() && !(type.contiguous() && type.origin() == 0)),
        bytes_(count * (packed_ ? type.size() : static_cast<std::size_t>(type.extent()))) {}

  /// Whether operands may be combined in any order, not only in that of the ranks.
  bool commutative() const noexcept { return op_->commutative(); }
  /// Whether the work data are not as the user's buffers have them.
  bool packed() const noexcept { return packed_; }
  /// Bytes of one member's work data.
  std::size_t bytes() const noexcept { return bytes_; }

  /// From the user's buffer to work data, and back.
  void take(const void* buffer, std::byte* work) const {
    if (!packed_) {
      std::memcpy(work, buffer, bytes_);
    } else {
      dtype::pack(*type_, count_, buffer, work);
    }
  }
  void give(const std::byte* work, void* buffer) const {
    if (!packed_) {
      std::memcpy(buffer, work, bytes_);
    } else {
      dtype::unpack(*type_, work, bytes_, buffer);
    }
  }

  /// inout = in (op) inout, where `in` stands left: from the lower ranks.
  void combine(const std::byte* in, std::byte* inout) const {
    if (packed_) [[unlikely]]
      return combine_packed(in, inout);
    op_->apply(in, inout, count_, *type_);
  }

 private:
  void combine_packed(const std::byte* in, std::byte* inout) const;

  dtype::OpRef op_;
  dtype::TypeRef type_;
  std::size_t count_;
  bool packed_;
  std::size_t bytes_;
};

}  // namespace bowline::coll
