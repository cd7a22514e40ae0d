// SPDX-License-Identifier: BSD-3-Clause
// Pairs of a value and an index for MPI_MINLOC and MPI_MAXLOC that have no name (MPI-5.0, section 6.9.4).
//
// Such a pair is laid out as C lays out a struct of the two, and the process makes it when it is asked for first. To
// messages it is a struct like any other; operators look at its two parts.
#pragma once

#include <cstddef>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// Asked for twice, the same one is found. nullptr unless the value is a predefined number that can be ordered, and the
/// index a predefined integer. The caller holds the library's lock.
Datatype* value_index_type(const Datatype& value, const Datatype& index);

bool is_value_index(const Datatype& type) noexcept;

/// inout[i] = the pair of in[i] and inout[i] with the lesser value, or the greater one if not `least`; of equal values
/// that with the lesser index.
void locate(bool least, const void* in, void* inout, std::size_t count, const Datatype& type) noexcept;

}  // namespace bowline::dtype
