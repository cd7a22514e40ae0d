// SPDX-License-Identifier: BSD-3-Clause
// The calls that <infiniband/verbs.h> makes through a context, and what the execution of requests does with queues.
#pragma once

#include <cstdint>

#include "support/fabric/adapter.hpp"

namespace fabric {

int poll_completions(ibv_cq* queue, int room, ibv_wc* found);
int arm_completions(ibv_cq* queue, int solicited_only);
int post_shared_receives(ibv_srq* queue, ibv_recv_wr* request, ibv_recv_wr** bad);
int post_receives(ibv_qp* pair, ibv_recv_wr* request, ibv_recv_wr** bad);
int post_sends(ibv_qp* pair, ibv_send_wr* request, ibv_send_wr** bad);

// The lock is held for what follows.

/// A completion with everything but id, status and queue pair undefined, as that of a failure.
ibv_wc blank_completion(std::uint64_t id, ibv_wc_status status, std::uint32_t queue_pair);

/// Adds a completion to a queue, which may belong to another process. `solicited`: it also wakes processes that have
/// asked to be woken by solicited completions only. If the queue is full, it overruns, and the next poll ends its
/// owner.
void complete(int queue, const ibv_wc& wc, std::uint32_t sends, bool solicited);

/// Takes the completions of a queue pair out of a queue.
void forget_completions(int queue, std::uint32_t queue_pair);

/// An unused receive queue, for this process.
int open_receive_queue(const ibv_pd* domain, bool shared, int capacity);

/// The oldest receive, or nothing; raises the event that its limit asks for.
const Receive* take_receive(ReceiveQueue& queue);

/// Completes all receives of a queue pair's own queue with the status "flushed".
void flush_receives(const QueuePair& pair);

}  // namespace fabric
