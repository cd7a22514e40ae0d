// SPDX-License-Identifier: BSD-3-Clause
// What collective functions check that exchange blocks.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "api/collectives/collective_call.hpp"

namespace bowline::api {

/// A buffer of `members` blocks of `count` elements. Throws Error if its address or length is wrong.
void check_blocks(const void* buffer, MPI_Count count, const dtype::Datatype& type, int members, const char* name);

/// Throws Error (buffer) if the buffer is MPI_IN_PLACE, which is allowed where `where` says.
void refuse_in_place(const void* buffer, const char* name, const char* where);
/// The same if the communicator has two groups.
void refuse_in_place_between_groups(const void* buffer, const char* name, const comm::Communicator& comm);

/// What a process sends to itself must have the length of what it receives from itself, and other memory. Throws Error
/// (truncate) if it is longer, (count) if it is shorter, (buffer) if both are one block of memory.
void check_own_block(std::span<const std::byte> sent, std::span<const std::byte> received, const char* sendbuf,
                     const char* recvbuf);

/// The position of a root in the channel of all members; negative if this process has nothing to do.
int position_of_root(int root, const comm::Communicator& comm) noexcept;

}  // namespace bowline::api
