// SPDX-License-Identifier: BSD-3-Clause
// Finds datatypes by their values: Fortran's kinds, sizes, and pairs for MPI_MINLOC (MPI-5.0, sections 6.9.4 and
// 19.1.9). All are predefined: equal arguments give the same datatype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// The type classes of Fortran and MPI_Type_match_size.
enum class TypeClass : std::uint8_t { integer, real, complex, logical };

/// The type for the kind that Fortran's compiler chooses: the smallest with at least this many decimal digits and this
/// range of exponents; either may be missing. For an integer `digits` is the range. `given`: the arguments for the
/// envelope. nullptr if there is no such kind, or no type for it. The caller holds the library's lock.
Datatype* f90_type(Combiner combiner, std::optional<int> digits, std::optional<int> range, const Envelope& given);

/// Whether the compiler has kinds of REAL with 16 bits, which the library does not assume at first.
void fortran_has_half_kinds(bool has) noexcept;

/// The Fortran type of the class with this size in bytes; nullptr if there is none.
Datatype* type_of_size(TypeClass type_class, std::size_t bytes) noexcept;

/// The predefined pair of these two types, with or without a name; nullptr if there is none. The caller holds the
/// library's lock.
Datatype* pair_of(const Datatype& value, const Datatype& index);

}  // namespace bowline::dtype
