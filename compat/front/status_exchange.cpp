// SPDX-License-Identifier: BSD-3-Clause
// MPI_Status_c2f and its kin. In Fortran a status is an array of INTEGERs, or a TYPE(MPI_Status), with the same
// contents as in C.
#include <cstring>

#include "abi.hpp"

namespace {

/// A status that is to be ignored has no contents (MPI-5.0, section 19.3.5).
int copy(const void* from, void* to) noexcept {
  if (from == nullptr || to == nullptr || from == abi::status_ignore || to == abi::status_ignore)
    return abi::out_error(MPI_ERR_ARG);
  std::memcpy(to, from, sizeof(abi::Status));
  return MPI_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" int front_Status_copy(const void* from, void* to) {
  return copy(from, to);
}

// The assembler gives it MPI's names, because mpi.h defines functions of these names.
#define FRONT_STATUS_COPY(name)           \
  __asm__(".globl P" name "\n.set P" name \
          ", front_Status_copy\n"         \
          ".weak " name "\n.set " name ", front_Status_copy\n")
FRONT_STATUS_COPY("MPI_Status_c2f");
FRONT_STATUS_COPY("MPI_Status_f2c");
FRONT_STATUS_COPY("MPI_Status_c2f08");
FRONT_STATUS_COPY("MPI_Status_f082c");
FRONT_STATUS_COPY("MPI_Status_f2f08");
FRONT_STATUS_COPY("MPI_Status_f082f");
