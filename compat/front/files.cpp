// SPDX-License-Identifier: BSD-3-Clause
// Data representations of the user, which this version of Bowline does not have.
#include "front/functions.hpp"
#include "front/values.hpp"

namespace front {

int register_datarep(const char* name, abi::Datarep_conversion_function*, abi::Datarep_conversion_function*,
                     abi::Datarep_extent_function*, void* extra_state) {
  return out_code(
      bowline_PMPI_Register_datarep(name, MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, nullptr, extra_state));
}

int register_datarep(const char* name, abi::Datarep_conversion_function_c*, abi::Datarep_conversion_function_c*,
                     abi::Datarep_extent_function*, void* extra_state) {
  return out_code(
      bowline_PMPI_Register_datarep_c(name, MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, nullptr, extra_state));
}

}  // namespace front
