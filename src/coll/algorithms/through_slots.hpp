// SPDX-License-Identifier: BSD-3-Clause
// Algorithms for members that share memory (Channel::slots). Every member writes its contribution to its own slot and
// sets its flag; the others read it there. No message is matched, and if ranks share cores each of them needs to run
// only once per round, for any number of members: Graham and Shipman, "MPI Support for Multi-core Architectures:
// Optimized Shared Memory Collectives" (EuroPVM/MPI 2008), describe the same idea.
//
// Reductions combine the operands in the order of ranks, from the last to the first, in every member alike: all members
// get the same bits in every run.
#pragma once

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// Every member waits for every other member's flag.
Task barrier_flags(Channel& channel, const Arguments& arguments);
/// Every member waits for the members of its group, or for its leader: for many members.
Task barrier_groups(Channel& channel, const Arguments& arguments);
/// The root writes the data into its slot, all other members read them.
Task bcast_slots(Channel& channel, const Arguments& arguments);
/// All other members write their operands, and the root combines them.
Task reduce_slots(Channel& channel, const Arguments& arguments);
/// All write, and each combines everything.
Task allreduce_slots(Channel& channel, const Arguments& arguments);
/// All members write their operands; each combines its share of every piece and writes the result, which all read.
Task allreduce_shares(Channel& channel, const Arguments& arguments);
/// Leaders of groups combine; for many members and data of up to one round. Longer data travel as in allreduce_slots.
Task allreduce_groups(Channel& channel, const Arguments& arguments);
/// Like allreduce_shares, but only the root reads the results.
Task reduce_shares(Channel& channel, const Arguments& arguments);
/// All members write the whole vector, and each combines its own block. Serves blocks of equal or different length.
Task reduce_scatter_slots(Channel& channel, const Arguments& arguments);
/// All members write their operands, and each combines the operands of the members up to itself.
Task scan_slots(Channel& channel, const Arguments& arguments);
Task exscan_slots(Channel& channel, const Arguments& arguments);
/// Each member combines the result of the member below it with its own operand, and writes the result for the member
/// above. A member waits for no member above, so rows of short operations need few context switches.
Task scan_slots_pipeline(Channel& channel, const Arguments& arguments);
Task exscan_slots_pipeline(Channel& channel, const Arguments& arguments);
/// All write and all read. Blocks of equal or different length.
Task allgather_slots(Channel& channel, const Arguments& arguments);
/// All other members write their blocks, and the root reads them. Serves blocks of equal or different length.
Task gather_slots(Channel& channel, const Arguments& arguments);
/// The root writes each member's block into that member's slot. Blocks of equal or different length.
Task scatter_slots(Channel& channel, const Arguments& arguments);
/// Each member writes its blocks for all members, and reads its own block from all. Serves blocks of equal or different
/// length.
Task alltoall_slots(Channel& channel, const Arguments& arguments);
/// Uses messages (linear) after all members have published the same block length. For long data of members that share
/// cores: a message synchronizes two members, a round through the slots all of them.
Task alltoall_agreed(Channel& channel, const Arguments& arguments);

// For long data of many members, whose slots are short: members publish the addresses of their buffers, and each reads
// the data that it needs, with a single copy. If the system forbids access to other processes' memory, these algorithms
// copy through slots like the algorithms above.
//
// In operations with a root both sides copy: the member its own data, piece by piece, and the root the pieces that the
// member has not taken. Short data go through slots; in the v-forms, data of at most one slot count as short. The
// sender decides and publishes the length, so members differ only in whether they have to wait.
Task bcast_single_copy(Channel& channel, const Arguments& arguments);
Task gather_single_copy(Channel& channel, const Arguments& arguments);
Task gatherv_single_copy(Channel& channel, const Arguments& arguments);
Task scatter_single_copy(Channel& channel, const Arguments& arguments);
Task scatterv_single_copy(Channel& channel, const Arguments& arguments);
/// Each member reads the result of the member below it, piece by piece, and combines it with its own operand. An
/// exclusive scan of two members is a broadcast.
Task scan_single_copy(Channel& channel, const Arguments& arguments);
Task exscan_single_copy(Channel& channel, const Arguments& arguments);
/// Short data go through the slots: each pair of members decides by the length of the block between the two, which
/// other members do not know. A member that receives more than it has room for gets MPI_ERR_TRUNCATE.
Task allgather_single_copy(Channel& channel, const Arguments& arguments);
Task alltoall_single_copy(Channel& channel, const Arguments& arguments);
Task alltoallv_single_copy(Channel& channel, const Arguments& arguments);
/// Each member combines its own block of all operands, in the order of ranks. Serves blocks of equal or different
/// length.
Task reduce_scatter_single_copy(Channel& channel, const Arguments& arguments);
/// Each member combines its share of all operands, in the order of ranks, and reads the others' shares of the result.
Task allreduce_single_copy(Channel& channel, const Arguments& arguments);

}  // namespace bowline::coll
