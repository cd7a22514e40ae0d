// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/lengths.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

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

[[gnu::cold]] void refuse_length(int member, std::size_t sent, std::size_t room) {
  if (sent == room) {
    throw Error(ErrorClass::truncate,
                fmt::format("rank {} of the communicator runs another algorithm for its block of {} bytes, because it "
                            "gives other lengths for the blocks of other ranks: give the same counts in all ranks",
                            member, sent));
  }
  throw Error(ErrorClass::truncate,
              fmt::format("rank {} of the communicator has {} bytes for this process, which has room for {}: give "
                          "counts and types of the same length at both",
                          member, sent, room));
}

}  // namespace bowline::coll
