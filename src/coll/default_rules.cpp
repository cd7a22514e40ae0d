// SPDX-License-Identifier: BSD-3-Clause
#include "coll/default_rules.hpp"

namespace bowline::coll {
namespace {

using enum Operation;

constexpr std::size_t KiB = 1 << 10;

constexpr DefaultRule table[] = {
    // Through memory that members share, where they do.
    {barrier, {.most_ranks = 32}, "flags"},
    {bcast, {}, "slots"},
    {gather, {}, "slots"},
    {gatherv, {}, "slots"},
    {scatter, {}, "slots"},
    {scatterv, {}, "slots"},
    {allgather, {}, "slots"},
    {allgatherv, {}, "slots"},
    {alltoall, {}, "slots"},
    {alltoallv, {}, "slots"},
    {reduce, {.most_ranks = 2}, "slots"},
    {reduce, {.most_bytes = 8 * KiB}, "slots"},
    {reduce, {}, "shares"},
    {allreduce, {.most_ranks = 2}, "slots"},
    {allreduce, {.most_bytes = 8 * KiB}, "slots"},
    {allreduce, {}, "shares"},
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
