// SPDX-License-Identifier: BSD-3-Clause
// The private interface that the front end offers to the library for Fortran, with the types of its ABI.
#pragma once

#include "api/entry/private_interface.hpp"

namespace bowline::fortran {

/// Ends the process, with a sentence, if the front end is of another version.
const PrivateInterface& interface() noexcept;

/// .TRUE. and .FALSE. as a LOGICAL.
inline MPI_Fint logical_value(bool truth) noexcept {
  return interface().logical_values[truth ? 1 : 0].load(std::memory_order_relaxed);
}

/// Is called before MPI is initialized.
inline void starting() noexcept {}

}  // namespace bowline::fortran
