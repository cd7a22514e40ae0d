// SPDX-License-Identifier: BSD-3-Clause
// Receive queues: shared ones, and those of one queue pair.
#include <algorithm>
#include <cerrno>

#include "support/fabric/events.hpp"
#include "support/fabric/execution.hpp"
#include "support/fabric/misuse.hpp"
#include "support/fabric/queues.hpp"

namespace fabric {
namespace {

int post(ReceiveQueue& queue, ibv_recv_wr* request, ibv_recv_wr** bad) {
  for (; request != nullptr; request = request->next) {
    int error = 0;
    if (request->num_sge < 0 || request->num_sge > most_receive_pieces) error = EINVAL;
    if (queue.count == queue.capacity) error = ENOMEM;
    if (error != 0) {
      *bad = request;
      return error;
    }
    Receive& receive = queue.entries[(queue.first + queue.count) % queue.capacity];
    receive.id = request->wr_id;
    receive.pieces = request->num_sge;
    std::copy_n(request->sg_list, request->num_sge, receive.list);
    ++queue.count;
  }
  return 0;
}

}  // namespace

int open_receive_queue(const ibv_pd* domain, bool shared, int capacity) {
  auto& queues = subnet().receive_queues;
  auto* entry = std::find_if(std::begin(queues), std::end(queues), [](auto& one) { return one.process == nobody; });
  if (entry == std::end(queues)) return none;
  entry->process = own_process();
  entry->domain = static_cast<const Domain*>(domain)->number;
  entry->shared = shared;
  entry->capacity = capacity;
  entry->first = entry->count = entry->limit = 0;
  entry->faults_channel = context_of(domain->context).events;
  return static_cast<int>(entry - queues);
}

const Receive* take_receive(ReceiveQueue& queue) {
  if (queue.count == 0) return nullptr;
  const Receive* receive = &queue.entries[queue.first];
  queue.first = (queue.first + 1) % queue.capacity;
  if (--queue.count < queue.limit) {
    queue.limit = 0;
    add_event(queue.faults_channel, queue.owner, IBV_EVENT_SRQ_LIMIT_REACHED);
  }
  return receive;
}

void flush_receives(const QueuePair& pair) {
  ReceiveQueue& queue = subnet().receive_queues[pair.receives];
  if (queue.shared) return;
  while (const Receive* receive = take_receive(queue)) {
    complete(pair.receive_completions, blank_completion(receive->id, IBV_WC_WR_FLUSH_ERR, pair.number), 0, true);
  }
}

int post_shared_receives(ibv_srq* given, ibv_recv_wr* request, ibv_recv_wr** bad) {
  auto& queue = static_cast<SharedReceives&>(*given);
  check_live(queue.live, "shared receive queue");
  const SubnetLock lock;
  const int error = post(entry_of(queue), request, bad);
  work_off_all();
  return error;
}

int post_receives(ibv_qp* given, ibv_recv_wr* request, ibv_recv_wr** bad) {
  auto& pair = static_cast<Pair&>(*given);
  check_live(pair.live, "queue pair");
  if (pair.srq != nullptr)
    misuse("a receive is posted to queue pair %u, which has a shared receive queue", pair.qp_num);
  const SubnetLock lock;
  const QueuePair& entry = entry_of(pair);
  if (entry.state == IBV_QPS_RESET) {
    *bad = request;
    return EINVAL;
  }
  const int error = post(subnet().receive_queues[entry.receives], request, bad);
  if (entry.state == IBV_QPS_ERR) flush_receives(entry);
  work_off_all();
  return error;
}

}  // namespace fabric

using namespace fabric;

extern "C" {

ibv_srq* ibv_create_srq(ibv_pd* domain, ibv_srq_init_attr* wanted) {
  auto& attributes = wanted->attr;
  const SubnetLock lock;
  const bool allowed =
      attributes.max_wr >= 1 && attributes.max_wr <= most_receives && attributes.max_sge <= most_receive_pieces;
  const int entry = allowed ? open_receive_queue(domain, true, static_cast<int>(attributes.max_wr)) : none;
  if (entry == none) {
    errno = allowed ? ENOMEM : EINVAL;
    return nullptr;
  }
  auto* queue = new SharedReceives{};
  queue->context = domain->context;
  queue->srq_context = wanted->srq_context;
  queue->pd = domain;
  queue->entry = entry;
  entry_of(*queue).owner = reinterpret_cast<std::uint64_t>(static_cast<ibv_srq*>(queue));
  ++static_cast<Domain*>(domain)->users;
  return queue;
}

int ibv_modify_srq(ibv_srq* given, ibv_srq_attr* attributes, int mask) {
  auto& queue = static_cast<SharedReceives&>(*given);
  check_live(queue.live, "shared receive queue");
  const SubnetLock lock;
  ReceiveQueue& entry = entry_of(queue);
  if (mask != IBV_SRQ_LIMIT || static_cast<int>(attributes->srq_limit) > entry.capacity) return EINVAL;
  entry.limit = static_cast<int>(attributes->srq_limit);
  return 0;
}

int ibv_query_srq(ibv_srq* given, ibv_srq_attr* answer) {
  const SubnetLock lock;
  const ReceiveQueue& entry = entry_of(static_cast<SharedReceives&>(*given));
  answer->max_wr = static_cast<std::uint32_t>(entry.capacity);
  answer->max_sge = most_receive_pieces;
  answer->srq_limit = static_cast<std::uint32_t>(entry.limit);
  return 0;
}

int ibv_destroy_srq(ibv_srq* given) {
  auto* queue = static_cast<SharedReceives*>(given);
  check_live(queue->live, "shared receive queue");
  if (queue->users != 0) return EBUSY;
  const SubnetLock lock;
  ReceiveQueue& entry = entry_of(*queue);
  forget_events(entry.faults_channel, entry.owner);
  entry.process = nobody;
  --static_cast<Domain*>(queue->pd)->users;
  queue->live = false;
  retire(queue);
  return 0;
}

}  // extern "C"
