// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/construction/checked.hpp"

#include "base/error.hpp"

namespace bowline::dtype::checked {

void overflow() {
  throw Error(ErrorClass::arg,
              "the datatype is too large: its size, its bounds and its displacements must stay below 2^63 bytes");
}

}  // namespace bowline::dtype::checked
