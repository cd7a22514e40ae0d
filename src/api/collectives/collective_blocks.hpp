// SPDX-License-Identifier: BSD-3-Clause
// Checks for collective functions that exchange blocks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "api/collectives/collective_call.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {

/// Checks a buffer of `members` blocks of `count` elements. Throws Error if its address or length is wrong.
void check_blocks(const void* buffer, MPI_Count count, const dtype::Datatype& type, int members, const char* name);

/// Throws Error (buffer) if the buffer is MPI_IN_PLACE. `where`: where MPI_IN_PLACE is allowed, for the error message.
void refuse_in_place(const void* buffer, const char* name, const char* where);
/// Throws Error (buffer) if the buffer is MPI_IN_PLACE and the communicator has two groups.
void refuse_in_place_between_groups(const void* buffer, const char* name, const comm::Communicator& comm);

/// Checks that the block that a process sends to itself has the length of the block that it receives from itself, and
/// lies in other memory. Throws Error (truncate) if the sent block is longer, (count) if it is shorter, (buffer) if
/// both are one block of memory.
void check_own_block(std::span<const std::byte> sent, std::span<const std::byte> received, const char* sendbuf,
                     const char* recvbuf);

/// The position of a root in the channel of all members; negative if this process has nothing to do.
int position_of_root(int root, const comm::Communicator& comm) noexcept;

}  // namespace bowline::api
