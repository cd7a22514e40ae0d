// SPDX-License-Identifier: BSD-3-Clause
// Where the figures come from:
//   [T] Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH (2005), sections 4-8.
//   [O] the fixed decisions of Open MPI's component coll/tuned.
//   [M] a model, for 1.5 us of latency and 10 GB/s: recursive doubling of an allreduce takes log2 n (a + bytes b),
//       Rabenseifner's algorithm 2 (log2 n) a + 2 bytes b; they meet near 16 KiB for a thousand ranks.
//   [S] what the simulator finds fastest on its default machine (docs/simulator.md), for many ranks on several nodes;
//       perf/choices prints where it would choose otherwise.
// A row whose algorithm cannot serve a call (its number of ranks, the order of operands) is skipped.
#include "coll/selection/default_rules.hpp"

namespace bowline::coll {
namespace {

using enum Operation;

constexpr std::size_t kib = 1 << 10;
constexpr std::size_t mib = 1 << 20;

/// Calls of the rows [S]: from 64 ranks on, up to `most_ranks`, on several nodes.
constexpr When at_scale(std::size_t least_bytes, std::size_t most_bytes = When{}.most_bytes,
                        int most_ranks = When{}.most_ranks) {
  return {.least_bytes = least_bytes,
          .most_bytes = most_bytes,
          .least_ranks = 64,
          .most_ranks = most_ranks,
          .one_node = Only::if_not};
}
constexpr std::size_t any_length = When{}.most_bytes;

constexpr DefaultRule rules[] = {
    // Members with shared memory copy through that memory. For data of more than 4 KiB these rows only say which
    // algorithm serves the first calls: then the members compare the times of several (Trial). Operations whose members
    // do not know each other's lengths keep the algorithm of the rows. The rows' numbers of ranks were found on two
    // cores, near each other or not (docs/performance.md).
    {barrier, {.most_ranks = 32}, "flags"},
    {barrier, {}, "groups"},
    {bcast, {.most_ranks = 32}, "slots"},
    {bcast, {.most_bytes = 4 * mib, .oversubscribed = Only::if_so}, "slots"},
    {bcast, {}, "single_copy"},
    // Algorithms with a root decide themselves which data are long. Members with cores of their own help the root.
    {gather, {.most_ranks = 2}, "slots"},
    {gather, {.most_ranks = 16, .oversubscribed = Only::if_so}, "slots"},
    {gather, {}, "single_copy"},
    {gatherv, {.most_ranks = 2}, "slots"},
    {gatherv, {.most_ranks = 16, .oversubscribed = Only::if_so}, "slots"},
    {gatherv, {}, "single_copy"},
    {scatter, {.most_ranks = 2}, "slots"},
    {scatter, {.most_ranks = 16, .oversubscribed = Only::if_so}, "slots"},
    {scatter, {}, "single_copy"},
    {scatterv, {.most_ranks = 2}, "slots"},
    {scatterv, {.most_ranks = 16, .oversubscribed = Only::if_so}, "slots"},
    {scatterv, {}, "single_copy"},
    {allgather, {.most_ranks = 32}, "slots"},
    {allgather, {}, "single_copy"},
    {allgatherv, {.most_ranks = 32}, "slots"},
    {allgatherv, {}, "single_copy"},
    // A slot is divided among all members. If many of them share cores, messages need fewer context switches for long
    // data than rounds in which all members wait for all others.
    {alltoall, {.most_bytes = 8 * kib}, "slots"},
    {alltoall, {.most_bytes = 32 * kib, .most_ranks = 16}, "slots"},
    {alltoall, {.most_ranks = 4}, "slots"},
    {alltoall, {.oversubscribed = Only::if_so}, "agreed"},
    {alltoall, {.most_ranks = 8}, "slots"},
    {alltoall, {}, "single_copy"},
    {alltoallv, {.most_ranks = 8, .oversubscribed = Only::if_so}, "slots"},  // short data: members run far ahead
    {alltoallv, {}, "single_copy"},
    {reduce, {.most_bytes = 8 * kib}, "slots"},
    {reduce, {.most_ranks = 2}, "slots"},
    {reduce, {.most_ranks = 16, .oversubscribed = Only::if_so}, "slots"},
    {reduce, {.most_ranks = 32}, "shares"},
    {reduce, {}, "single_copy"},
    {allreduce, {.most_ranks = 2}, "slots"},
    {allreduce, {.most_bytes = 8 * kib, .least_ranks = 33}, "groups"},
    {allreduce, {.most_bytes = 8 * kib}, "slots"},
    {allreduce, {.most_ranks = 32}, "shares"},
    {allreduce, {}, "single_copy"},
    {reduce_scatter_block, {.most_bytes = 4 * kib}, "slots"},
    {reduce_scatter_block, {.most_ranks = 8}, "slots"},
    {reduce_scatter_block, {}, "single_copy"},
    {reduce_scatter, {.most_bytes = 4 * kib}, "slots"},
    {reduce_scatter, {.most_ranks = 8}, "slots"},
    {reduce_scatter, {}, "single_copy"},
    {scan, {.most_ranks = 2}, "slots_pipeline"},
    {scan, {.most_bytes = 40, .oversubscribed = Only::if_so}, "slots_pipeline"},  // inline data: members run far ahead
    {scan, {.most_bytes = 8 * kib}, "slots"},
    {scan, {.most_ranks = 32}, "slots_pipeline"},
    {scan, {}, "single_copy"},
    {exscan, {.most_ranks = 2}, "slots_pipeline"},
    {exscan, {.most_bytes = 40, .oversubscribed = Only::if_so}, "slots_pipeline"},
    {exscan, {.most_bytes = 8 * kib}, "slots"},
    {exscan, {.most_ranks = 32}, "slots_pipeline"},
    {exscan, {}, "single_copy"},

    // Several ranks on each of several nodes: data use shared memory within the nodes and cross each link between them
    // once. The lengths come from the simulator (docs/simulator.md). On 4 nodes, however, the composed broadcast was
    // faster at all lengths, and the composed allreduce at all measured lengths, up to 1 MiB (docs/performance.md).
    {barrier, {.layered = Only::if_so}, "hierarchical"},
    {bcast, {.layered = Only::if_so}, "hierarchical"},
    {gather, {.most_bytes = kib, .layered = Only::if_so}, "hierarchical"},
    {scatter, {.most_bytes = kib, .layered = Only::if_so}, "hierarchical"},
    {allgather, {.most_total = 512 * kib, .layered = Only::if_so}, "hierarchical"},
    {reduce, {.most_bytes = 16 * kib, .layered = Only::if_so}, "hierarchical"},
    {allreduce, {.most_bytes = 32 * kib, .layered = Only::if_so}, "hierarchical"},
    {allreduce, {.most_bytes = mib, .most_ranks = 63, .layered = Only::if_so}, "hierarchical"},

    // If ranks share cores, a message to a rank that does not run costs a context switch: few messages through one
    // member are faster than log2 n rounds of all members.
    {barrier, {.oversubscribed = Only::if_so}, "central"},
    {barrier, {}, "dissemination"},

    // [S]. A ring pays if each of its many steps carries enough data.
    {bcast, at_scale(0, 16 * kib), "knomial"},
    {bcast, at_scale(256 * kib, any_length, 64), "scatter_ring"},
    {bcast, at_scale(0, any_length, 127), "binary_tree", 8 * kib},
    {bcast, at_scale(mib, any_length, 511), "scatter_ring"},
    {bcast, at_scale(2 * mib, any_length, 2047), "scatter_ring"},
    {bcast, at_scale(0), "binary_tree", 8 * kib},

    // [T]: 12 KiB, 512 KiB, 8 ranks. A ring of very many ranks has a long start-up; a pipelined tree has not.
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

    // [S]. Both alternatives take steps in proportion to the number of ranks, so the length of a block alone decides.
    {allgather, at_scale(0, 512), "recursive_doubling"},
    {allgather, at_scale(0, 256), "bruck"},
    {allgather, at_scale(0), "ring"},

    // [T]: 80 KiB and 512 KiB in all.
    {allgather, {.most_total = 512 * kib - 1}, "recursive_doubling"},
    {allgather, {.most_total = 80 * kib}, "bruck"},
    {allgather, {}, "ring"},
    {allgatherv, {}, "ring"},

    // [T]: 256 bytes, 32 KiB, 8 ranks. If members do not know the lengths, many simultaneous transfers suit most calls.
    {alltoall, {.most_bytes = 256, .least_ranks = 8}, "bruck"},
    {alltoall, {.most_bytes = 32 * kib}, "spread"},
    {alltoall, {}, "pairwise"},
    {alltoallv, {}, "spread"},

    // [S], then [T]: 2 KiB.
    {reduce, at_scale(0, 2 * kib), "knomial"},
    {reduce, {.most_bytes = 2 * kib}, "binomial"},
    // Two members: the root combines a piece while the next one arrives. On two nodes with TCP (2 cores of an Intel
    // Xeon of the fourth generation) this took 0.9 of the time of binomial at 256 KiB, and 0.45 of that of
    // rabenseifner; [S] agrees.
    {reduce, {.most_ranks = 2}, "chain", 64 * kib},
    {reduce, {}, "rabenseifner"},

    // [S].
    {allreduce, at_scale(0, 2 * kib), "recursive_doubling"},
    {allreduce, at_scale(mib, any_length, 511), "segmented_ring", 8 * kib},
    {allreduce, at_scale(4 * mib, any_length, 2047), "segmented_ring", 8 * kib},
    {allreduce, at_scale(0), "rabenseifner"},

    // [M]: 16 KiB; [O]: a ring for long data and few ranks; in segments from 1 MiB per rank on.
    {allreduce, {.most_bytes = 16 * kib}, "recursive_doubling"},
    {allreduce, {.least_bytes = 64 * mib, .most_ranks = 64}, "segmented_ring", mib},
    {allreduce, {.least_bytes = mib, .most_ranks = 64}, "ring"},
    {allreduce, {}, "rabenseifner"},

    // [S]. The length is that of all blocks.
    {reduce_scatter_block, at_scale(64 * kib, any_length, 127), "ring"},
    {reduce_scatter_block, at_scale(192 * kib, any_length, 511), "ring"},
    {reduce_scatter_block, at_scale(768 * kib, any_length, 2047), "ring"},
    {reduce_scatter_block, at_scale(4 * mib), "ring"},
    {reduce_scatter, at_scale(64 * kib, any_length, 127), "ring"},
    {reduce_scatter, at_scale(192 * kib, any_length, 511), "ring"},
    {reduce_scatter, at_scale(768 * kib, any_length, 2047), "ring"},
    {reduce_scatter, at_scale(4 * mib), "ring"},

    // [T]: 512 KiB.
    {reduce_scatter_block, {.most_bytes = 512 * kib}, "recursive_halving"},
    {reduce_scatter_block, {.most_bytes = 2 * kib}, "reduce_scatter"},
    {reduce_scatter_block, {}, "pairwise"},
    {reduce_scatter, {.most_bytes = 512 * kib}, "recursive_halving"},
    {reduce_scatter, {.most_bytes = 2 * kib}, "reduce_scatter"},
    {reduce_scatter, {}, "pairwise"},

    // [S].
    {scan, at_scale(64 * kib, any_length, 127), "pipeline", 8 * kib},
    {scan, at_scale(256 * kib, any_length, 511), "pipeline", 8 * kib},
    {scan, at_scale(512 * kib, any_length, 2047), "pipeline", 8 * kib},
    {exscan, at_scale(64 * kib, any_length, 127), "pipeline", 8 * kib},
    {exscan, at_scale(256 * kib, any_length, 511), "pipeline", 8 * kib},
    {exscan, at_scale(512 * kib, any_length, 2047), "pipeline", 8 * kib},

    // A chain of n members takes n - 1 + segments steps; recursive doubling moves all data log2 n times.
    {scan, {.least_bytes = 256 * kib, .most_ranks = 16}, "pipeline", 32 * kib},
    {scan, {}, "recursive_doubling"},
    {exscan, {.least_bytes = 256 * kib, .most_ranks = 16}, "pipeline", 32 * kib},
    {exscan, {}, "recursive_doubling"},

    // Neighbours in a grid are one step away: combining saves messages only if both neighbours are one process.
    {neighbor_allgather, {}, "linear"},
    {neighbor_alltoall, {}, "linear"},
};

// [S], on its default machine and on one with TCP of 10 Gbit/s: what is fastest somewhere, if the rules choose
// something else. Numbers of ranks bound the connections and the messages at one time of each member, and the length of
// a chain.
constexpr DefaultRule alternative_rows[] = {
    {bcast, {.layered = Only::if_so}, "hierarchical"},
    {bcast, {.most_bytes = 32 * kib, .least_ranks = 3}, "knomial"},
    {bcast, {.most_ranks = 16}, "chain", 8 * kib},
    {bcast, {.least_ranks = 3}, "binary_tree", 8 * kib},
    {bcast, {.least_bytes = 256 * kib, .most_ranks = 2}, "chain", 64 * kib},
    {bcast, {.least_bytes = 256 * kib}, "binary_tree", 64 * kib},
    {gather, {.layered = Only::if_so}, "hierarchical"},
    {gather, {}, "linear"},
    {gather, {.least_bytes = 16 * kib}, "linear_segmented", 8 * kib},
    {scatter, {.layered = Only::if_so}, "hierarchical"},
    {scatter, {}, "linear"},
    {scatter, {.least_bytes = 16 * kib}, "linear_segmented", 8 * kib},
    {allgather, {.layered = Only::if_so}, "hierarchical"},
    {allgather, {}, "ring"},
    {allgather, {.most_ranks = 64}, "linear"},
    {allgather, {}, "recursive_doubling"},
    {allgather, {}, "neighbor_exchange"},
    {alltoall, {}, "pairwise"},
    {alltoall, {}, "spread"},
};

}  // namespace

std::span<const DefaultRule> default_rules() noexcept {
  return rules;
}

std::span<const DefaultRule> alternatives() noexcept {
  return alternative_rows;
}

}  // namespace bowline::coll
