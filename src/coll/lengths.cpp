// SPDX-License-Identifier: BSD-3-Clause
#include "coll/lengths.hpp"

namespace bowline::coll {
namespace {

void tell_the_same(Slots& slots, std::size_t bytes) noexcept {
  slots.tell_bytes(bytes);
  slots.expect_bytes(bytes);
}

}  // namespace

void tell_lengths(Slots& slots, int rank, Operation operation, const Arguments& arguments) noexcept {
  const bool root = rank == arguments.root;
  switch (operation) {
    case Operation::bcast:
      return tell_the_same(slots, arguments.result.size());
    case Operation::gather:
      return tell_the_same(slots, root ? arguments.receive.each() : arguments.input.size());
    case Operation::gatherv:
      slots.tell_bytes(arguments.input.size());
      if (root) slots.expect_blocks(arguments.receive);
      return;
    case Operation::scatter:
      return tell_the_same(slots, root ? arguments.send.each() : arguments.result.size());
    case Operation::scatterv:
      slots.tell_bytes(arguments.result.size());
      if (root) return slots.divide(arguments.send);
      return slots.expect_own(arguments.result.size());
    case Operation::allgather:
    case Operation::allgatherv:
      slots.tell_bytes(arguments.input.size());
      return slots.expect_blocks(arguments.receive);
    case Operation::alltoall:
      return tell_the_same(slots, arguments.send.each());
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::reduce_scatter_block:
    case Operation::reduce_scatter:
    case Operation::scan:
    case Operation::exscan:
      return tell_the_same(slots, arguments.input.size());
    case Operation::barrier:
    case Operation::alltoallv:
    case Operation::neighbor_allgather:
    case Operation::neighbor_alltoall:
      return;
  }
}

}  // namespace bowline::coll
