// SPDX-License-Identifier: BSD-3-Clause
// Tells readers of this process's memory where its message queues are (base/diagnosis/queue_record.hpp).
#pragma once

namespace bowline::runtime {

struct Parts;

/// Fills the record of this process. The parts must not move or end afterwards. Call once, when MPI starts.
void publish_queues(const Parts& parts) noexcept;

}  // namespace bowline::runtime
