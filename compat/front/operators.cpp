// SPDX-License-Identifier: BSD-3-Clause
// User-defined operators. The user's function is the context of the operator, which therefore needs no memory here.
#include <algorithm>
#include <cstddef>
#include <limits>

#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

/// Calls a function that counts in ints, in several calls if there are more elements.
void combine(void* function, const void* in, void* inout, MPI_Count count, MPI_Datatype type) {
  auto* const call = reinterpret_cast<abi::User_function*>(function);
  abi::Datatype here = abi::out_type(type);
  constexpr MPI_Count most = std::numeric_limits<int>::max();
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  if (count > most) bowline_PMPI_Type_get_extent(type, &lower_bound, &extent);
  for (MPI_Count done = 0; done < count || done == 0; done += most) {
    int length = static_cast<int>(std::min(count - done, most));
    const MPI_Aint offset = done * extent;
    call(const_cast<std::byte*>(static_cast<const std::byte*>(in)) + offset, static_cast<std::byte*>(inout) + offset,
         &length, &here);
  }
}

void combine_large(void* function, const void* in, void* inout, MPI_Count count, MPI_Datatype type) {
  abi::Datatype here = abi::out_type(type);
  reinterpret_cast<abi::User_function_c*>(function)(const_cast<void*>(in), inout, &count, &here);
}

int create(bowline::PrivateInterface::Combine combine, void* function, int commute, abi::Op* op) {
  MPI_Op made = MPI_OP_NULL;
  const int code = interface().create_op(function == nullptr ? nullptr : combine, {function, nullptr}, commute, &made);
  if (code == MPI_SUCCESS) *op = abi::out_op(made);
  return out_code(code);
}

}  // namespace

int op_create(abi::User_function* function, int commute, abi::Op* op) {
  return create(combine, reinterpret_cast<void*>(function), commute, op);
}

int op_create(abi::User_function_c* function, int commute, abi::Op* op) {
  return create(combine_large, reinterpret_cast<void*>(function), commute, op);
}

}  // namespace front
