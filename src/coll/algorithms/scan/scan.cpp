// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scan/scan.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm scan_table[] = {
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
    {.name = "slots_pipeline",
     .run = scan_slots_pipeline,
     .shared = true,
     .compared = true,
     .summary = "from rank to rank through memory that all share: for ranks that share cores"},
    {.name = "single_copy",
     .run = scan_single_copy,
     .shared = true,
     .compared = true,
     .summary = "from rank to rank, each reads the result of the one below from its buffer: for long data"},
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
    {.name = "slots_pipeline",
     .run = exscan_slots_pipeline,
     .shared = true,
     .compared = true,
     .summary = "from rank to rank through memory that all share: for ranks that share cores"},
    {.name = "single_copy",
     .run = exscan_single_copy,
     .shared = true,
     .compared = true,
     .summary = "from rank to rank, each reads the result of the one below from its buffer: for long data"},
};

}  // namespace

std::span<const Algorithm> scan_algorithms() noexcept {
  return scan_table;
}

std::span<const Algorithm> exscan_algorithms() noexcept {
  return table_exclusive;
}

}  // namespace bowline::coll
