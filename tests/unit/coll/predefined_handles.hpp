// SPDX-License-Identifier: BSD-3-Clause
// The handles of the standard ABI (MPI-5.0, section 20.3) with which tests reduce.
#pragma once

#include <cstdint>

#include "coll/channel/algorithm.hpp"
#include "dtype/predefined.hpp"

namespace bowline::coll {

inline constexpr std::uintptr_t mpi_sum = 0x21, mpi_maxloc = 0x39;
inline constexpr std::uintptr_t mpi_int = 0x209, mpi_double = 0x214, mpi_double_int = 0x229, mpi_int64 = 0x258;

inline Reduction predefined(std::uintptr_t op, std::uintptr_t type) {
  return {*dtype::predefined_op(op), *dtype::predefined_datatype(type)};
}

}  // namespace bowline::coll
