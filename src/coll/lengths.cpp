// SPDX-License-Identifier: BSD-3-Clause
#include "coll/lengths.hpp"

namespace bowline::coll {

void tell_lengths(Slots& slots, Operation operation, const Arguments& arguments) noexcept {
  switch (operation) {
    case Operation::alltoall:
      return slots.compare_bytes(arguments.send.each());
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::reduce_scatter_block:
    case Operation::reduce_scatter:
    case Operation::scan:
    case Operation::exscan:
      return slots.compare_bytes(arguments.input.size());
    default:
      return;
  }
}

}  // namespace bowline::coll
