// SPDX-License-Identifier: BSD-3-Clause
// Attribute keys of windows, which this version of Bowline does not have.
#include "front/functions.hpp"
#include "front/values.hpp"

namespace front {

int win_create_keyval(abi::Win_copy_attr_function*, abi::Win_delete_attr_function*, int* keyval, void* extra_state) {
  return out_code(bowline_PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, keyval, extra_state));
}

}  // namespace front
