// SPDX-License-Identifier: BSD-3-Clause
// Where the figures come from:
//   [T] Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH (2005), sections 4-8.
//   [O] the fixed decisions of Open MPI's component coll/tuned.
//   [M] a model, for 1.5 us of latency and 10 GB/s: recursive doubling of an allreduce takes log2 n (a + bytes b),
//       Rabenseifner's algorithm 2 (log2 n) a + 2 bytes b; they meet near 16 KiB for a thousand ranks.
// A row whose algorithm cannot serve a call (its number of ranks, the order of operands) is passed over.
#include "coll/default_rules.hpp"

namespace bowline::coll {
namespace {

using enum Operation;

constexpr std::size_t kib = 1 << 10;
constexpr std::size_t mib = 1 << 20;

constexpr DefaultRule table[] = {
    // Through memory that members share, where they do; long data straight from the buffers. Lengths are where the
    // one became faster than the other on two cores, whether near each other or not (docs/performance.md).
    {barrier, {.most_ranks = 32}, "flags"},
    {bcast, {.most_bytes = 512 * kib}, "slots"},
    {bcast, {.crowded = Only::if_so}, "slots"},
    {bcast, {}, "direct"},
    {gather, {.most_bytes = 8 * kib}, "slots"},
    {gather, {}, "direct"},
    {gatherv, {}, "slots"},
    {scatter, {.most_bytes = 8 * kib}, "slots"},
    {scatter, {}, "direct"},
    {scatterv, {}, "slots"},
    {allgather, {.most_bytes = 8 * kib}, "slots"},
    {allgather, {.most_bytes = 32 * kib, .crowded = Only::if_so}, "slots"},
    {allgather, {}, "direct"},
    {allgatherv, {}, "slots"},
    {alltoall, {.most_bytes = 8 * kib}, "slots"},
    {alltoall, {}, "direct"},
    {alltoallv, {}, "slots"},
    {reduce, {.most_bytes = 8 * kib}, "slots"},
    {reduce, {}, "direct"},
    {allreduce, {.most_bytes = 32 * kib, .most_ranks = 2}, "slots"},
    {allreduce, {.most_bytes = 8 * kib}, "slots"},
    {allreduce, {.most_bytes = 32 * kib}, "shares"},
    {allreduce, {}, "direct"},
    {reduce_scatter_block, {}, "slots"},
    {reduce_scatter, {}, "slots"},
    {scan, {}, "slots"},
    {exscan, {}, "slots"},

    // Where ranks share cores, a message to somebody who does not run costs a change of process: few messages in a row
    // through one member are better than log2 n rounds of everybody.
    {barrier, {.crowded = Only::if_so}, "central"},
    {barrier, {}, "dissemination"},

    // [T]: 12 KiB, 512 KiB, 8 ranks. A ring of very many is slow to get going; a tree in a pipeline is not.
    {bcast, {.most_bytes = 12 * kib}, "binomial"},
    {bcast, {.most_ranks = 2}, "binomial"},
    {bcast, {.least_bytes = 512 * kib, .most_ranks = 64}, "scatter_ring"},
    {bcast, {.least_bytes = 512 * kib}, "binary_tree", 64 * kib},
    {bcast, {.most_ranks = 7}, "binomial"},
    {bcast, {}, "scatter_doubling"},

    // [O]: 6 KB. Above, the root's link is the limit, and a tree carries most blocks several times.
    {gather, {.most_bytes = 6 * kib}, "binomial"},
    {gather, {}, "linear"},
    {gatherv, {}, "linear"},
    {scatter, {.most_bytes = 6 * kib}, "binomial"},
    {scatter, {}, "linear"},
    {scatterv, {}, "linear"},

    // [T]: 80 KiB and 512 KiB in all.
    {allgather, {.most_total = 512 * kib - 1}, "recursive_doubling"},
    {allgather, {.most_total = 80 * kib}, "bruck"},
    {allgather, {}, "ring"},
    {allgatherv, {}, "ring"},

    // [T]: 256 bytes, 32 KiB, 8 ranks. Without lengths nobody can tell; many transfers at once suit most.
    {alltoall, {.most_bytes = 256, .least_ranks = 8}, "bruck"},
    {alltoall, {.most_bytes = 32 * kib}, "spread"},
    {alltoall, {}, "pairwise"},
    {alltoallv, {}, "spread"},

    // [T]: 2 KiB.
    {reduce, {.most_bytes = 2 * kib}, "binomial"},
    {reduce, {}, "rabenseifner"},

    // [M]: 16 KiB; [O]: a ring for long data, which few ranks are needed for; 1 MiB for each rank, in segments.
    {allreduce, {.most_bytes = 16 * kib}, "recursive_doubling"},
    {allreduce, {.least_bytes = 64 * mib, .most_ranks = 64}, "segmented_ring", mib},
    {allreduce, {.least_bytes = mib, .most_ranks = 64}, "ring"},
    {allreduce, {}, "rabenseifner"},

    // [T]: 512 KiB.
    {reduce_scatter_block, {.most_bytes = 512 * kib}, "recursive_halving"},
    {reduce_scatter_block, {.most_bytes = 2 * kib}, "reduce_scatter"},
    {reduce_scatter_block, {}, "pairwise"},
    {reduce_scatter, {.most_bytes = 512 * kib}, "recursive_halving"},
    {reduce_scatter, {.most_bytes = 2 * kib}, "reduce_scatter"},
    {reduce_scatter, {}, "pairwise"},

    // A line of n members takes n - 1 + segments steps, against log2 n times all the data.
    {scan, {.least_bytes = 256 * kib, .most_ranks = 16}, "pipeline", 32 * kib},
    {scan, {}, "recursive_doubling"},
    {exscan, {.least_bytes = 256 * kib, .most_ranks = 16}, "pipeline", 32 * kib},
    {exscan, {}, "recursive_doubling"},

    // Neighbours in a grid are one step away: combining saves messages only where both are one process.
    {neighbor_allgather, {}, "linear"},
    {neighbor_alltoall, {}, "linear"},
};

}  // namespace

std::span<const DefaultRule> default_rules() noexcept {
  return table;
}

}  // namespace bowline::coll
