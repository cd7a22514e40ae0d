// SPDX-License-Identifier: BSD-3-Clause
// Op: reduction operators and on which datatypes they are defined (MPI-5.0, section 6.9).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

enum class Operator : std::uint8_t {
  sum,
  min,
  max,
  prod,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  minloc,
  maxloc,
  replace,
  no_op,
  count_
};

inline constexpr std::size_t operator_count = static_cast<std::size_t>(Operator::count_);

/// inout[i] = in[i] (op) inout[i] for `count` elements. The buffers do not overlap.
using Kernel = void (*)(const void* in, void* inout, std::size_t count);

/// The kernel for an operator on an element; nullptr where the standard does not define the operator.
Kernel find_kernel(Operator op, Element element) noexcept;

/// A predefined operator; all of them are associative and commutative. Immutable, shared between threads.
class Op {
 public:
  Op(const char* name, Operator op) : name_(name), op_(op) {}

  const char* name() const noexcept { return name_; }
  bool commutative() const noexcept { return true; }
  bool supports(const Datatype& type) const noexcept;

  /// inout = in (op) inout, element by element. The pair must be supported.
  void apply(const void* in, void* inout, std::size_t count, const Datatype& type) const;

 private:
  const char* name_;
  Operator op_;
};

}  // namespace bowline::dtype
