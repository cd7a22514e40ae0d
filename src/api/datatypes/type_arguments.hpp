// SPDX-License-Identifier: BSD-3-Clause
// The arguments of datatype constructors: checks them and stores them in the envelope.
#pragma once

#include <mpi.h>

#include "api/entry/count_array.hpp"
#include "dtype/envelope.hpp"

namespace bowline::api {

inline dtype::Envelope envelope_of(dtype::Combiner combiner, CountWidth form) {
  return {.combiner = combiner, .large = form == CountWidth::large};
}

/// Appends `n` counts of any sign; throws Error (arg) if there is no array.
void add_counts(dtype::Envelope& envelope, MPI_Count n, CountArray values, const char* name);
/// Like add_counts(); also throws Error (arg) if a count is negative.
void add_lengths(dtype::Envelope& envelope, MPI_Count n, CountArray values, const char* name);
void add_addresses(dtype::Envelope& envelope, MPI_Count n, CountArray values, const char* name);
/// Appends `n` integers of an array that has no large form.
void add_integers(dtype::Envelope& envelope, MPI_Count n, const int* values, const char* name);

/// Throws Error (arg): "array_of_sizes[1] is 0, but ...".
[[noreturn, gnu::cold]] void refuse_entry(const char* name, MPI_Count i, MPI_Count value, const char* allowed);

}  // namespace bowline::api
