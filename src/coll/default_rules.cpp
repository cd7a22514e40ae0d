// SPDX-License-Identifier: BSD-3-Clause
#include "coll/default_rules.hpp"

namespace bowline::coll {
namespace {

using enum Operation;

constexpr std::size_t KiB = 1 << 10;

constexpr DefaultRule table[] = {
    // Through memory that members share, where they do; long data straight from the buffers. Lengths are where the
    // one became faster than the other on two cores, whether near each other or not (docs/performance.md).
    {barrier, {.most_ranks = 32}, "flags"},
    {bcast, {.most_bytes = 512 * KiB}, "slots"},
    {bcast, {.crowded = Only::if_so}, "slots"},
    {bcast, {}, "direct"},
    {gather, {.most_bytes = 8 * KiB}, "slots"},
    {gather, {}, "direct"},
    {gatherv, {}, "slots"},
    {scatter, {.most_bytes = 8 * KiB}, "slots"},
    {scatter, {}, "direct"},
    {scatterv, {}, "slots"},
    {allgather, {.most_bytes = 8 * KiB}, "slots"},
    {allgather, {.most_bytes = 32 * KiB, .crowded = Only::if_so}, "slots"},
    {allgather, {}, "direct"},
    {allgatherv, {}, "slots"},
    {alltoall, {.most_bytes = 8 * KiB}, "slots"},
    {alltoall, {}, "direct"},
    {alltoallv, {}, "slots"},
    {reduce, {.most_bytes = 8 * KiB}, "slots"},
    {reduce, {}, "direct"},
    {allreduce, {.most_bytes = 32 * KiB, .most_ranks = 2}, "slots"},
    {allreduce, {.most_bytes = 8 * KiB}, "slots"},
    {allreduce, {.most_bytes = 32 * KiB}, "shares"},
    {allreduce, {}, "direct"},
    {reduce_scatter_block, {}, "slots"},
    {reduce_scatter, {}, "slots"},
    {scan, {}, "slots"},
    {exscan, {}, "slots"},

    // Where ranks share cores, a message to somebody who does not run costs a change of process: few messages in a row
    // through one member are better than log2 n rounds of everybody.
    {barrier, {.crowded = Only::if_so}, "central"},
    {barrier, {}, "dissemination"},

    {bcast, {}, "binomial"},

    {allgather, {}, "bruck"},

    {reduce, {}, "binomial"},

    {allreduce, {.most_bytes = 16 * KiB}, "recursive_doubling"},
    {allreduce, {}, "reduce_bcast"},
};

}  // namespace

std::span<const DefaultRule> default_rules() noexcept {
  return table;
}

}  // namespace bowline::coll
