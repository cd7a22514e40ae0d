// SPDX-License-Identifier: BSD-3-Clause
// Numbers with special values, in the standard ABI and here: in the ABI of the front end. A pair of tables and
// functions for each kind of number is generated from them (abi_values.hpp).
#pragma once

#include <span>

namespace front {

/// A constant of MPI.
struct Pair {
  int standard;
  int here;
};

/// The standard's value of a special value. A number that is none stays what it is, unless it is a special value in the
/// standard: then it becomes a number that Bowline refuses.
int special_in(std::span<const Pair> pairs, int here) noexcept;
/// The value of one of the standard's special values here; `otherwise` if there is none here.
int special_out(std::span<const Pair> pairs, int standard, int otherwise) noexcept;

/// The same for sets of bits. A bit without meaning here becomes one without meaning in the standard.
int bits_in(std::span<const Pair> pairs, int here) noexcept;
int bits_out(std::span<const Pair> pairs, int standard) noexcept;

/// The same for error classes and codes. Codes that the program has added follow MPI_ERR_LASTCODE in every ABI. A class
/// that does not exist here becomes MPI_ERR_OTHER.
int error_in(std::span<const Pair> pairs, int lastcode, int here) noexcept;
int error_out(std::span<const Pair> pairs, int lastcode, int standard) noexcept;

}  // namespace front
