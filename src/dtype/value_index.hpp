// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a value and an index for MPI_MINLOC and MPI_MAXLOC that have no name (MPI-5.0, section 6.9.4).
//
// A pair of a value and an index has the layout of a C struct of the two. The process makes the type of such a pair at
// the first request. Messages treat the type like any other struct; operators use its two parts.
#pragma once

#include <cstddef>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// The type of pairs of these two types; equal arguments give the same type. nullptr unless the value is a predefined
/// type with an order and the index a predefined integer. Thread-safe.
Datatype* value_index_type(const Datatype& value, const Datatype& index);

bool is_value_index(const Datatype& type) noexcept;

/// inout[i] = the pair of in[i] and inout[i] with the lesser value, or the greater value if not `least`; if the values
/// are equal, the pair with the lesser index.
void locate(bool least, const void* in, void* inout, std::size_t count, const Datatype& type) noexcept;

}  // namespace bowline::dtype
