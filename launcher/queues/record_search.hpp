// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/diagnosis/queue_record.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

/// The record of the message queues in this memory. Throws QueueError if there is none that this program understands.
QueueRecord find_queue_record(const ProcessMemory& memory);

}  // namespace bowline::launcher
