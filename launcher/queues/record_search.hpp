// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/diagnosis/queue_record.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

/// The record of the message queues in this memory. Throws QueueError if there is none that this program understands.
QueueRecord find_queue_record(const ProcessMemory& memory);

/// Whether the process has such a record, at the address that the memory's reader knows, and has not called MPI_Init.
bool awaits_mpi_init(const ProcessMemory& memory);

}  // namespace bowline::launcher
