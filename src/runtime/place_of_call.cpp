// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/place_of_call.hpp"

#include <cstdint>

#include "base/diagnosis/source_lines.hpp"
#include "node/memory.hpp"

namespace bowline::runtime {

std::string place_of_call() {
  constexpr std::uint64_t needed = 64 << 20;
  return node::memory_short_of(needed) ? std::string() : place_of_mpi_call();
}

}  // namespace bowline::runtime
