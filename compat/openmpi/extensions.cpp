// SPDX-License-Identifier: BSD-3-Clause
// Functions with which Open MPI extends MPI, and its predefined callbacks.
#include "abi.hpp"

namespace {

int duplicate(void* value, void* copy, int* wanted) {
  *wanted = 1;
  *static_cast<void**>(copy) = value;
  return MPI_SUCCESS;
}

int ignore(int* wanted) {
  *wanted = 0;
  return MPI_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

int PMPIX_Query_cuda_support(void) {
  return 0;
}
decltype(PMPIX_Query_cuda_support) MPIX_Query_cuda_support __attribute__((alias("PMPIX_Query_cuda_support")));

// MPI_DUP_FN, MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN and their like. Handles of all kinds are passed alike.
int OMPI_C_MPI_DUP_FN(void*, int, void*, void* value, void* copy, int* wanted) {
  return duplicate(value, copy, wanted);
}
int OMPI_C_MPI_NULL_COPY_FN(void*, int, void*, void*, void*, int* wanted) {
  return ignore(wanted);
}
int OMPI_C_MPI_NULL_DELETE_FN(void*, int, void*, void*) {
  return MPI_SUCCESS;
}

#define FRONT_SAME(name, target) decltype(target) name __attribute__((alias(#target)))
FRONT_SAME(OMPI_C_MPI_COMM_DUP_FN, OMPI_C_MPI_DUP_FN);
FRONT_SAME(OMPI_C_MPI_COMM_NULL_COPY_FN, OMPI_C_MPI_NULL_COPY_FN);
FRONT_SAME(OMPI_C_MPI_COMM_NULL_DELETE_FN, OMPI_C_MPI_NULL_DELETE_FN);
FRONT_SAME(OMPI_C_MPI_TYPE_DUP_FN, OMPI_C_MPI_DUP_FN);
FRONT_SAME(OMPI_C_MPI_TYPE_NULL_COPY_FN, OMPI_C_MPI_NULL_COPY_FN);
FRONT_SAME(OMPI_C_MPI_TYPE_NULL_DELETE_FN, OMPI_C_MPI_NULL_DELETE_FN);
FRONT_SAME(OMPI_C_MPI_WIN_DUP_FN, OMPI_C_MPI_DUP_FN);
FRONT_SAME(OMPI_C_MPI_WIN_NULL_COPY_FN, OMPI_C_MPI_NULL_COPY_FN);
FRONT_SAME(OMPI_C_MPI_WIN_NULL_DELETE_FN, OMPI_C_MPI_NULL_DELETE_FN);

}  // extern "C"
