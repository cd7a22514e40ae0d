// SPDX-License-Identifier: BSD-3-Clause
// Accumulator: applies the data of an accumulate to a target in this process's memory, as they come.
//
// Data are streams of bytes without holes, as pack() makes them. Elements may come in any number at a time, but only
// whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/atomic.hpp"
#include "dtype/datatype.hpp"
#include "dtype/op.hpp"
#include "rma/synchronization/accumulate_lock.hpp"

namespace bowline::rma {

/// How accumulates to a member's memory exclude each other. Equal for all who accumulate there.
struct Exclusion {
  bool instructions = false;              ///< whether elements for which there are atomic instructions use them
  Atomic<std::uint32_t>* lock = nullptr;  ///< for all other elements; nullptr if this process alone accumulates
  int mine = 0;                           ///< number of this process among the members on the node
  Holders* holders = nullptr;
};

/// The predefined type of which a type consists. Throws Error (type) if there are several, (op) if the operator is not
/// defined on it.
const dtype::Datatype& accumulated(const dtype::Op& op, const dtype::Datatype& type);

/// Accumulates plain elements, which lie one behind the other from `target` on: whole ones of the predefined type
/// `element`, without holes. `in` is the origin's data; empty if the operator uses none. `old` gets the former
/// contents; empty if they are not wanted.
void accumulate_run(const Exclusion& exclusion, const dtype::Op& op, const dtype::Datatype& element,
                    std::span<const std::byte> in, std::span<std::byte> old, std::byte* target);

class Accumulator {
 public:
  /// `count` elements of `type` begin at `base`; `element` is the predefined type of which `type` consists.
  Accumulator(const Exclusion& exclusion, const dtype::Op& op, const dtype::Datatype& element,
              const dtype::Datatype& type, std::size_t count, std::byte* base) noexcept
      : exclusion_(exclusion), op_(op), element_(element), type_(type), count_(count), base_(base) {}

  /// Applies elements from byte `at` of the stream on. `in` is the origin's data; empty if the operator uses none.
  /// `old` gets the former contents; empty if they are not wanted. Not both are empty.
  void apply(std::size_t at, std::span<const std::byte> in, std::span<std::byte> old);

  /// Compares the one element with `compare` and replaces it by `swap` if they are equal.
  void compare_and_swap(const std::byte* compare, const std::byte* swap, std::byte* old);

 private:
  struct Part {
    std::size_t at;
    std::span<const std::byte> in;
    std::span<std::byte> old;
    std::size_t bytes() const noexcept { return in.empty() ? old.size() : in.size(); }
  };
  void apply_run(const Part& part, std::byte* target) {
    accumulate_run(exclusion_, op_, element_, part.in, part.old, target);
  }
  void apply_pieces(const Part& part);
  void combine_scattered(const Part& part);

  const Exclusion& exclusion_;
  const dtype::Op& op_;
  const dtype::Datatype& element_;
  const dtype::Datatype& type_;
  std::size_t count_;
  std::byte* base_;
};

}  // namespace bowline::rma
