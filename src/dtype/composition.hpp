// SPDX-License-Identifier: BSD-3-Clause
// Composition: a derived datatype as a list of blocks, each with a number of elements, a type and a displacement. It is
// a view of the constructor's arguments, so a vector of 2^40 blocks is as cheap as one of two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "dtype/envelope.hpp"

namespace bowline::dtype {

class Datatype;
class TypeRef;

/// A sequence of numbers: an array of either width, or an arithmetic sequence.
class Numbers {
 public:
  constexpr Numbers() noexcept = default;
  static constexpr Numbers same(std::int64_t value) noexcept { return {nullptr, nullptr, value, 0}; }
  static constexpr Numbers steps(std::int64_t step) noexcept { return {nullptr, nullptr, 0, step}; }
  static constexpr Numbers array(const int* values) noexcept { return {values, nullptr, 0, 0}; }
  static constexpr Numbers array(const std::int64_t* values) noexcept { return {nullptr, values, 0, 0}; }

  std::int64_t operator[](std::size_t i) const noexcept {
    if (narrow_ != nullptr) return narrow_[i];
    return wide_ != nullptr ? wide_[i] : first_ + static_cast<std::int64_t>(i) * step_;
  }
  /// Whether a formula gives the numbers instead of an array.
  bool regular() const noexcept { return narrow_ == nullptr && wide_ == nullptr; }

 private:
  constexpr Numbers(const int* narrow, const std::int64_t* wide, std::int64_t first, std::int64_t step) noexcept
      : narrow_(narrow), wide_(wide), first_(first), step_(step) {}

  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  std::int64_t first_ = 0;
  std::int64_t step_ = 0;
};

class Composition {
 public:
  /// For a constructor that makes blocks (contiguous to structure). Valid as long as the arguments.
  Composition(const Envelope& envelope, std::span<const TypeRef> types) noexcept;

  std::size_t size() const noexcept { return size_; }
  /// Elements in block `i`.
  std::int64_t length(std::size_t i) const noexcept { return lengths_[i]; }
  /// Bytes from the address of the element to block `i`.
  std::int64_t displacement(std::size_t i) const noexcept { return places_[i] * unit_; }
  const Datatype& type(std::size_t i) const noexcept;

  /// Whether all blocks have one length, one type and equal distances.
  bool regular() const noexcept { return lengths_.regular() && places_.regular() && !mixed_; }
  /// Whether blocks may have different types.
  bool mixed() const noexcept { return mixed_; }
  /// The displacement of block `i` in units, and the bytes of a unit, for callers that check the product for overflow.
  std::int64_t place(std::size_t i) const noexcept { return places_[i]; }
  std::int64_t unit() const noexcept { return unit_; }

 private:
  void read_small(const Envelope& envelope) noexcept;
  void read_large(const Envelope& envelope) noexcept;

  std::size_t size_ = 1;
  Numbers lengths_;
  Numbers places_;
  std::int64_t unit_ = 1;
  std::span<const TypeRef> types_;
  bool mixed_ = false;
};

}  // namespace bowline::dtype
