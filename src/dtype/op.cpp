// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/op.hpp"

#include <cstring>

namespace bowline::dtype {

bool Op::supports(const Datatype& type) const noexcept {
  // MPI_REPLACE and MPI_NO_OP are defined for one-sided accumulation only (MPI-5.0, section 12.3.4).
  return find_kernel(op_, type.element()) != nullptr;
}

void Op::apply(const void* in, void* inout, std::size_t count, const Datatype& type) const {
  find_kernel(op_, type.element())(in, inout, count);
}

}  // namespace bowline::dtype
