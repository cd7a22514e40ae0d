// SPDX-License-Identifier: BSD-3-Clause
// Bounds: the bounds, size and basic elements of a datatype (MPI-5.0, sections 5.1.5 to 5.1.8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dtype/element.hpp"

namespace bowline::dtype {

class Composition;
class Datatype;

struct Bounds {
  std::int64_t size = 0;      ///< bytes of data
  std::int64_t elements = 0;  ///< basic elements; a pair of value and index has two
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  bool marked = false;       ///< lb and ub were set by MPI_Type_create_resized, here or further inside
  std::int64_t true_lb = 0;  ///< lower bound of the data
  std::int64_t true_ub = 0;
  std::int64_t alignment = 1;  ///< the strictest of any basic element
  bool uniform = true;         ///< all basic elements are of the kind `element`
  Element element = Element::byte;
  int depth = 0;  ///< of the tree of types

  std::int64_t extent() const noexcept { return ub - lb; }
};

/// The bounds of a composed datatype. Throws Error (arg) if a number does not fit 64 bits.
Bounds bounds_of(const Composition& composition);

/// `bounds` with another lower bound and extent: MPI_Type_create_resized.
Bounds resized(Bounds bounds, std::int64_t lb, std::int64_t extent);

}  // namespace bowline::dtype
