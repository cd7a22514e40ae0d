// SPDX-License-Identifier: BSD-3-Clause
// Procedures of the user that MPI calls, and those that MPI provides for this purpose.
#pragma once

#include "procedures/procedure.hpp"

namespace bowline::fortran {

/// The user's procedure with the arguments that it is called with.
template <class... Arguments>
void call(Procedure* procedure, Arguments*... arguments) {
  reinterpret_cast<void (*)(Arguments * ...)>(procedure)(arguments...);
}

/// What the library provides as a callback (MPI_COMM_DUP_FN, ...), recognized by its address.
enum class Predefined : int { none, null_copy, dup, null_delete, conversion_null };
Predefined predefined(Procedure* procedure) noexcept;

}  // namespace bowline::fortran
