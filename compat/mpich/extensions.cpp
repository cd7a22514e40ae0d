// SPDX-License-Identifier: BSD-3-Clause
// Functions with which MPICH extends MPI.
#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace {

/// Of a function that Bowline does not have.
int unsupported(const char* function) {
  return front::out_code(front::interface().raise_error(
      MPI_COMM_NULL, function, MPI_ERR_UNSUPPORTED_OPERATION,
      "not implemented in Bowline: it is an extension of MPICH, which the MPI standard does not have"));
}

}  // namespace

#pragma GCC visibility push(default)

extern "C" {

/// MPI_DUP_FN, MPI_COMM_DUP_FN and their like.
int MPIR_Dup_fn(int, int, void*, void* value, void* copy, int* wanted) {
  *wanted = 1;
  *static_cast<void**>(copy) = value;
  return MPI_SUCCESS;
}

// ---- what MPI-4.1 has under other names

int PMPIX_Delete_error_class(int error_class) {
  return front::out_code(bowline_PMPI_Remove_error_class(abi::in_error(error_class)));
}
int PMPIX_Delete_error_code(int code) {
  return front::out_code(bowline_PMPI_Remove_error_code(abi::in_error(code)));
}
int PMPIX_Delete_error_string(int code) {
  return front::out_code(bowline_PMPI_Remove_error_string(abi::in_error(code)));
}

// ---- memory of accelerators, which Bowline does not transfer yet

int PMPIX_GPU_query_support(int, int* supported) {
  *supported = 0;
  return MPI_SUCCESS;
}
int PMPIX_Query_cuda_support(void) {
  return 0;
}
int PMPIX_Query_hip_support(void) {
  return 0;
}
int PMPIX_Query_ze_support(void) {
  return 0;
}

// ---- generalized requests that MPI polls

int PMPIX_Grequest_start(abi::Grequest_query_function*, abi::Grequest_free_function*, abi::Grequest_cancel_function*,
                         void*, void*, void*, abi::Request*) {
  return unsupported("MPIX_Grequest_start");
}
int PMPIX_Grequest_class_create(abi::Grequest_query_function*, abi::Grequest_free_function*,
                                abi::Grequest_cancel_function*, void*, void*, int*) {
  return unsupported("MPIX_Grequest_class_create");
}
int PMPIX_Grequest_class_allocate(int, void*, abi::Request*) {
  return unsupported("MPIX_Grequest_class_allocate");
}

#define FRONT_ALIAS(name) decltype(PMPIX_##name) MPIX_##name __attribute__((weak, alias("PMPIX_" #name)))
FRONT_ALIAS(Delete_error_class);
FRONT_ALIAS(Delete_error_code);
FRONT_ALIAS(Delete_error_string);
FRONT_ALIAS(GPU_query_support);
FRONT_ALIAS(Grequest_class_allocate);
FRONT_ALIAS(Grequest_class_create);
FRONT_ALIAS(Grequest_start);
FRONT_ALIAS(Query_cuda_support);
FRONT_ALIAS(Query_hip_support);
FRONT_ALIAS(Query_ze_support);

}  // extern "C"
