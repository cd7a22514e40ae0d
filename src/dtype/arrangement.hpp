// SPDX-License-Identifier: BSD-3-Clause
// Arrangement: how the data of a layout lie along the line of addresses, for layouts that describe places in a file
// (MPI-5.0, section 14.1.1), and the search for a place.
#pragma once

#include <cstddef>

#include "dtype/layout.hpp"

namespace bowline::dtype {

/// How the runs of a layout are arranged, in the order of its data. Offsets count from the address of the datatype's
/// element.
struct Arrangement {
  std::ptrdiff_t first = 0;  ///< where the first run begins
  std::ptrdiff_t last = 0;   ///< where the last run begins
  std::ptrdiff_t low = 0;    ///< the first byte that is part of a run
  std::ptrdiff_t high = 0;   ///< behind the last byte that is part of a run
  bool ascending = true;     ///< no run begins before its predecessor begins
  bool disjoint = true;      ///< no run begins before its predecessor ends
  std::size_t granule = 0;   ///< the largest number that divides the beginnings and lengths of all runs; 0: no data
};

/// Takes time in proportion to the size of the layout.
Arrangement arrangement_of(const Layout& layout);

/// The number of bytes of data at offsets less than `offset`, of one element with this layout, whose runs must be
/// disjoint. Takes time in proportion to the depth of the layout, and to the logarithms of its lists.
std::size_t data_before(const Layout& layout, std::ptrdiff_t offset) noexcept;

}  // namespace bowline::dtype
