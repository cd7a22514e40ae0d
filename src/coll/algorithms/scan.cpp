// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scan.hpp"

#include "coll/algorithms/slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "recursive_doubling",
     .run = scan_recursive_doubling,
     .summary = "results from distance 1, 2, 4...: log2 n rounds, for short data"},
    {.name = "pipeline",
     .run = scan_pipeline,
     .segmented = true,
     .summary = "from rank to rank in segments: for long data"},
    {.name = "slots",
     .run = scan_slots,
     .shared = true,
     .summary = "each combines what those below it write to memory that all share"},
};

constexpr Algorithm table_exclusive[] = {
    {.name = "recursive_doubling",
     .run = exscan_recursive_doubling,
     .summary = "results from distance 1, 2, 4...: log2 n rounds, for short data"},
    {.name = "pipeline",
     .run = exscan_pipeline,
     .segmented = true,
     .summary = "from rank to rank in segments: for long data"},
    {.name = "slots",
     .run = exscan_slots,
     .shared = true,
     .summary = "each combines what those below it write to memory that all share"},
};

}  // namespace

std::span<const Algorithm> scan_algorithms() noexcept {
  return table;
}

std::span<const Algorithm> exscan_algorithms() noexcept {
  return table_exclusive;
}

}  // namespace bowline::coll
