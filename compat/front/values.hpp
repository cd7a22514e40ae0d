// SPDX-License-Identifier: BSD-3-Clause
// Conversion of numbers and addresses with special values: in_X for what the program passes, out_X and change_X for
// what it gets. The kinds of numbers are generated (abi_values.hpp); here is the rest.
#pragma once

#include <mpi.h>

#include "abi.hpp"

namespace front {

/// The result of an MPI function.
inline int out_code(int standard) noexcept {
  return standard == MPI_SUCCESS ? MPI_SUCCESS : abi::out_error(standard);
}

/// Converts a result of Bowline's function in its place.
template <int (*out)(int) noexcept, class Number>
void change(Number* result) noexcept {
  if (result != nullptr) *result = static_cast<Number>(out(static_cast<int>(*result)));
}

/// Of MPI_File_set_view.
inline MPI_Offset in_displacement(MPI_Offset here) noexcept {
  if (here == abi::displacement_current) return MPI_DISPLACEMENT_CURRENT;
  return here == MPI_DISPLACEMENT_CURRENT ? here - 1 : here;
}

/// The buffer of a collective operation, which may be MPI_IN_PLACE.
template <class Pointer>
Pointer in_buffer(Pointer here) noexcept {
  return here == abi::in_place ? static_cast<Pointer>(MPI_IN_PLACE) : here;
}

/// The buffer for buffered sends, which may be MPI_BUFFER_AUTOMATIC.
inline void* in_bsend_buffer(void* here) noexcept {
  return here == abi::buffer_automatic ? MPI_BUFFER_AUTOMATIC : here;
}
inline void change_bsend_buffer(void* address_of_buffer) noexcept {
  void*& buffer = *static_cast<void**>(address_of_buffer);
  if (buffer == MPI_BUFFER_AUTOMATIC) buffer = abi::buffer_automatic;
}

/// The weights of a graph, which may be MPI_UNWEIGHTED or MPI_WEIGHTS_EMPTY.
template <class Pointer>
Pointer in_weights(Pointer here) noexcept {
  if (here == abi::unweighted) return MPI_UNWEIGHTED;
  return here == abi::weights_empty ? MPI_WEIGHTS_EMPTY : here;
}

}  // namespace front
