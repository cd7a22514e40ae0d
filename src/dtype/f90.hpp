// SPDX-License-Identifier: BSD-3-Clause
// Datatypes that are found by what they can hold: Fortran's kinds, sizes, and pairs for MPI_MINLOC (MPI-5.0, sections
// 6.9.4 and 19.1.9). All are predefined: asked for twice, the same one is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// The kinds of types that Fortran and MPI_Type_match_size know.
enum class TypeClass : std::uint8_t { integer, real, complex, logical };

/// The smallest type of the class with so many decimal digits and such a range of exponents; either may be left open.
/// `digits` is the range of an integer. `given`: what the envelope says. nullptr if there is none. The caller holds the
/// library's lock.
Datatype* f90_type(Combiner combiner, std::optional<int> digits, std::optional<int> range, const Envelope& given);

/// The Fortran type of the class that has this size in bytes; nullptr if there is none.
Datatype* type_of_size(TypeClass type_class, std::size_t bytes) noexcept;

/// The predefined pair of these two, with or without a name; nullptr if there is none. The caller holds the library's
/// lock.
Datatype* pair_of(const Datatype& value, const Datatype& index);

}  // namespace bowline::dtype
