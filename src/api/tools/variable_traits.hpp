// SPDX-License-Identifier: BSD-3-Clause
// What the declarations of variables say, in the constants of MPI_T.
#pragma once

#include <mpi.h>

#include "base/variable.hpp"

namespace bowline::api {

constexpr int verbosity_of(Audience audience) noexcept {
  switch (audience) {
    case Audience::users:
      return MPI_T_VERBOSITY_USER_BASIC;
    case Audience::tuners:
      return MPI_T_VERBOSITY_TUNER_BASIC;
    case Audience::developers:
      break;
  }
  return MPI_T_VERBOSITY_MPIDEV_BASIC;
}

constexpr int scope_of(Agreement agreement) noexcept {
  return agreement == Agreement::all_equal ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
}

}  // namespace bowline::api
