// SPDX-License-Identifier: BSD-3-Clause
// Handles of datatypes and of reduction operators.
#pragma once

#include <mpi.h>

#include "api/entry/handle_value.hpp"
#include "dtype/datatype.hpp"
#include "dtype/op.hpp"
#include "dtype/predefined.hpp"

namespace bowline::api {

/// nullptr if the handle is null, unknown or freed.
inline dtype::Datatype* find_datatype(MPI_Datatype handle) noexcept {
  if (handle_value(handle) < first_object) [[likely]]
    return dtype::predefined_datatype(handle_value(handle));
  auto* const type = reinterpret_cast<dtype::Datatype*>(handle);
  return type->alive() ? type : nullptr;
}

/// The handle of a predefined datatype, or of a datatype that the user may free.
MPI_Datatype to_handle(const dtype::Datatype& type) noexcept;

/// nullptr if the handle is null, unknown or freed.
inline const dtype::Op* find_op(MPI_Op handle) noexcept {
  if (handle_value(handle) < first_object) [[likely]]
    return dtype::predefined_op(handle_value(handle));
  auto* const op = reinterpret_cast<const dtype::Op*>(handle);
  return op->alive() ? op : nullptr;
}

inline MPI_Op to_handle(dtype::Op& op) noexcept {
  return reinterpret_cast<MPI_Op>(&op);
}

}  // namespace bowline::api
