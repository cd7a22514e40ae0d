// SPDX-License-Identifier: BSD-3-Clause
// Envelope: the constructor of a datatype and its arguments, exactly as MPI_Type_get_contents returns them.
#pragma once

#include <cstdint>
#include <vector>

namespace bowline::dtype {

/// The constructors, with the values of MPI_COMBINER_* in the standard ABI.
enum class Combiner : int {
  named = 101,
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  f90_real,
  f90_complex,
  f90_integer,
  resized,
  value_index,
};

/// "MPI_Type_vector"; for messages.
const char* constructor_name(Combiner combiner) noexcept;

/// The numbers that a constructor received, in the arrays and the order of MPI-5.0, section 5.1.13. Large-count forms
/// keep their counts and displacements in `counts`, small ones in `integers` and `addresses`. The Datatype keeps the
/// datatypes that the constructor received.
struct Envelope {
  Combiner combiner = Combiner::named;
  bool large = false;
  std::vector<int> integers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> counts;

  // Appends an argument of the constructor to the array of its form.
  void add_integer(std::int64_t value) { integers.push_back(static_cast<int>(value)); }
  void add_count(std::int64_t value) { large ? counts.push_back(value) : add_integer(value); }
  void add_address(std::int64_t value) { (large ? counts : addresses).push_back(value); }
};

}  // namespace bowline::dtype
