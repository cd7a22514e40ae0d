// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 6.9.5 and 6.9.7: user-defined operators, and reductions within a process.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "base/handle_numbers.hpp"
#include "base/scratch.hpp"
#include "bodies.hpp"
#include "coll/channel/reduction.hpp"

namespace bowline::api {
namespace {

/// Calls the user's function for at most as many elements at a time as the type Count can hold: "the system can choose
/// to apply the function to chunks of input". The function gets copies of the arguments that it might change.
template <class Function, class Count>
void call_user(void* context, const void* in, void* inout, std::size_t count, const dtype::Datatype& type) {
  auto* const function = reinterpret_cast<Function*>(context);
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Count>::max());
  auto* left = static_cast<std::byte*>(const_cast<void*>(in));
  auto* right = static_cast<std::byte*>(inout);
  while (count > 0) {
    const std::size_t chunk = std::min(count, most);
    auto length = static_cast<Count>(chunk);
    MPI_Datatype datatype = to_handle(type);
    function(left, right, &length, &datatype);
    left += static_cast<std::ptrdiff_t>(chunk) * type.extent();
    right += static_cast<std::ptrdiff_t>(chunk) * type.extent();
    count -= chunk;
  }
}

/// For a type that is a view of sections: on packed copies.
void reduce_sections(const void* inbuf, void* inoutbuf, std::size_t count, const dtype::Datatype& type,
                     const dtype::Op& op) {
  const coll::Reduction reduction(op, type);
  const std::size_t bytes = count * reduction.element();
  ScratchArray<std::byte> left(bytes), right(bytes);
  reduction.take(inbuf, count, left.data());
  reduction.take(inoutbuf, count, right.data());
  reduction.combine(left.data(), {right.data(), bytes});
  reduction.give({right.data(), bytes}, inoutbuf);
}

}  // namespace

void op_create(MPI_User_function* user_fn, MPI_User_function_c* user_fn_c, int commute, MPI_Op* op) {
  if (user_fn == nullptr && user_fn_c == nullptr)
    throw Error(ErrorClass::arg, "user_fn is a null pointer: give a function that combines two arrays of elements");
  const dtype::UserFunction function =
      user_fn != nullptr
          ? dtype::UserFunction{call_user<MPI_User_function, int>, reinterpret_cast<void*>(user_fn)}
          : dtype::UserFunction{call_user<MPI_User_function_c, MPI_Count>, reinterpret_cast<void*>(user_fn_c)};
  *op = to_handle(dtype::Op::make(function, commute != 0));
}

// Operations that use the operator keep it alive.
void op_free(MPI_Op* op) {
  const dtype::Op& freed = check::op(*op, "op");
  if (freed.predefined()) {
    throw Error(ErrorClass::op, fmt::format("op is the predefined operator {}, which stays: free only operators that "
                                            "MPI_Op_create made",
                                            freed.name()));
  }
  handle_numbers().forget(handle_value(*op));
  const_cast<dtype::Op&>(freed).drop_handle();
  *op = MPI_OP_NULL;
}

void op_commutative(const dtype::Op& op, int* commute) {
  *commute = op.commutative() ? 1 : 0;
}

void reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, const dtype::Datatype& datatype,
                  const dtype::Op& op) {
  check::buffer(inbuf, count, datatype, "inbuf");
  check::buffer(inoutbuf, count, datatype, "inoutbuf");
  if (inbuf == inoutbuf && count > 0 && datatype.size() > 0)
    throw Error(ErrorClass::buffer, "inbuf and inoutbuf are the same memory: give two buffers that do not overlap");
  const auto elements = static_cast<std::size_t>(count);
  if (&datatype.given() != &datatype) return reduce_sections(inbuf, inoutbuf, elements, datatype, op);
  op.apply(inbuf, inoutbuf, elements, datatype);
}

}  // namespace bowline::api
