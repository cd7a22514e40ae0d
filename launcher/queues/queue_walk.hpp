// SPDX-License-Identifier: BSD-3-Clause
// Reads the message queues of a rank out of its memory.
#pragma once

#include "launcher/queues/message_queues.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

/// What is pending in the rank with this memory. A rank that runs is not stopped, so each list is told as it was at
/// some moment, and different lists at different moments. Throws QueueError if the memory has no record of queues, or
/// cannot be understood.
MessageQueues read_queues(const ProcessMemory& memory);

}  // namespace bowline::launcher
