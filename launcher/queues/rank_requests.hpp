// SPDX-License-Identifier: BSD-3-Clause
// The requests of a rank: what its program has begun and not completed by a call such as MPI_Wait.
#pragma once

#include <cstdint>
#include <vector>

#include "launcher/queues/message_queues.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

/// A single send or receive.
struct SeenRequest {
  std::uint64_t handle = 0;  ///< the value of the program's MPI_Request
  bool is_send = false;
  bool persistent = false;
  bool freed = false;        ///< the program has freed the handle
  bool active = true;        ///< false: a persistent one that has not been started
  bool done = false;         ///< the operation has ended, and no call has completed it
  PendingMessage message{};  ///< of one that is done, `matched` tells what a receive has received
};

struct ContextRequests : SeenContext {
  std::vector<SeenRequest> requests{};
  /// Requests of the communicator that are no single send or receive, such as non-blocking collectives. The library
  /// counts them by the lower part of a communicator's index: the first of those that share it has the sum.
  std::uint64_t others = 0;
};

struct RankRequests {
  int rank = 0;                             ///< in the job
  int ranks = 0;                            ///< of the job
  std::vector<ContextRequests> contexts{};  ///< with a request, in ascending order
};

/// The requests of the rank with this memory, and the sends of calls that begin a send and wait for it; not the
/// receives of such calls, which have no request. As for read_queues(), each list is told as it was at some moment.
/// Throws QueueError.
RankRequests read_requests(const ProcessMemory& memory);

}  // namespace bowline::launcher
