// SPDX-License-Identifier: BSD-3-Clause
// Algorithms for members that share memory (Channel::slots). Every member writes what it contributes to its own slot
// and says so by its flag; the others read it there. Nothing is matched, and where ranks share cores each of them has
// to run only once per round, whatever the number of members: Graham and Shipman, "MPI Support for Multi-core
// Architectures: Optimized Shared Memory Collectives" (EuroPVM/MPI 2008), describe the same idea.
//
// Reductions combine the operands in the order of ranks, from the last to the first, in every member alike: all get the
// same bits, and the same ones each time.
#pragma once

#include "coll/algorithm.hpp"

namespace bowline::coll {

/// Everyone waits for everyone's flag.
Task barrier_flags(Channel& channel, const Arguments& arguments);
/// The root writes, all others read.
Task bcast_slots(Channel& channel, const Arguments& arguments);
/// All others write, and the root combines.
Task reduce_slots(Channel& channel, const Arguments& arguments);
/// All write, and each combines everything.
Task allreduce_slots(Channel& channel, const Arguments& arguments);
/// All write, each combines its share of every piece and writes the result, which all read.
Task allreduce_shares(Channel& channel, const Arguments& arguments);
/// The same, but only the root reads the results.
Task reduce_shares(Channel& channel, const Arguments& arguments);
/// All write the whole vector, and each combines its own block. Blocks of equal or different length.
Task reduce_scatter_slots(Channel& channel, const Arguments& arguments);
/// All write, and each combines what it and those below it have written.
Task scan_slots(Channel& channel, const Arguments& arguments);
Task exscan_slots(Channel& channel, const Arguments& arguments);
/// Each combines what the one below it has written with its own operand, and writes the result for the one above. It
/// waits for nobody above, so rows of short operations take few changes of process.
Task scan_slots_pipeline(Channel& channel, const Arguments& arguments);
Task exscan_slots_pipeline(Channel& channel, const Arguments& arguments);
/// All write and all read. Blocks of equal or different length.
Task allgather_slots(Channel& channel, const Arguments& arguments);
/// All others write, and the root reads. Blocks of equal or different length.
Task gather_slots(Channel& channel, const Arguments& arguments);
/// The root writes into each member's slot what is for it. Blocks of equal or different length.
Task scatter_slots(Channel& channel, const Arguments& arguments);
/// Each writes what it has for all, and reads from all what they have for it. Blocks of equal or different length.
Task alltoall_slots(Channel& channel, const Arguments& arguments);
/// By messages (linear), as soon as all have told that their blocks are as long: for long data of members that share
/// cores, of whom each message binds two, and each round through the slots all.
Task alltoall_agreed(Channel& channel, const Arguments& arguments);

// For long data of many members, whose slots are short: members say where their buffers are, and each reads what it
// needs from there; it is copied once only. Where the system forbids that, the same as above.
//
// In those of a root both sides copy: the member what it needs or has, piece by piece, and the root what the member has
// not come to. Data of at most one slot go as above: who sends decides, and tells the length, so all that differs
// between members is whether they have to wait.
Task bcast_direct(Channel& channel, const Arguments& arguments);
Task gather_direct(Channel& channel, const Arguments& arguments);
Task scatter_direct(Channel& channel, const Arguments& arguments);
/// Each member reads the result of the one below it, piece by piece, and combines it with its own operand. Two members
/// of an exclusive scan make it a broadcast.
Task scan_direct(Channel& channel, const Arguments& arguments);
Task exscan_direct(Channel& channel, const Arguments& arguments);
/// Short data go through the slots at once: each pair does what suits the length of the block between the two, of which
/// the others know nothing. Who has more than another has room for is found out: MPI_ERR_TRUNCATE there.
Task allgather_direct(Channel& channel, const Arguments& arguments);
Task alltoall_direct(Channel& channel, const Arguments& arguments);
/// Each member combines its own block of all operands, in the order of ranks. Blocks of equal or different length.
Task reduce_scatter_direct(Channel& channel, const Arguments& arguments);
/// Each member combines its share of all operands, in the order of ranks, and reads the others' shares of the result.
Task allreduce_direct(Channel& channel, const Arguments& arguments);

}  // namespace bowline::coll
