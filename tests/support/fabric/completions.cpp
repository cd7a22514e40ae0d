// SPDX-License-Identifier: BSD-3-Clause
// Completion queues and their channels.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/fabric/events.hpp"
#include "support/fabric/execution.hpp"
#include "support/fabric/misuse.hpp"
#include "support/fabric/queues.hpp"

namespace fabric {
namespace {

void notify(CompletionQueue& queue, bool solicited) {
  if (queue.armed == Armed::no || (queue.armed == Armed::solicited && !solicited)) return;
  queue.armed = Armed::no;
  add_event(queue.channel, queue.owner, none);
}

// A send queue has room again when the completion of a request, or of a later one, was polled.
void free_sends(const Completions& queue, const Completion& completion) {
  if (completion.sends == 0) return;
  if (Pair* pair = pair_with(completion.wc.qp_num); pair != nullptr && pair->send_cq == &queue) {
    pair->sends.freed = completion.sends;
  }
}

}  // namespace

ibv_wc blank_completion(std::uint64_t id, ibv_wc_status status, std::uint32_t queue_pair) {
  ibv_wc wc;
  std::memset(&wc, 0x7e, sizeof wc);
  wc.wr_id = id;
  wc.status = status;
  wc.opcode = static_cast<ibv_wc_opcode>(0x7e);
  wc.qp_num = queue_pair;
  wc.vendor_err = 0;
  return wc;
}

void complete(int number, const ibv_wc& wc, std::uint32_t sends, bool solicited) {
  CompletionQueue& queue = subnet().completion_queues[number];
  if (queue.count == queue.capacity) {
    if (!queue.overrun) add_event(queue.faults_channel, queue.owner, IBV_EVENT_CQ_ERR);
    queue.overrun = true;
    return;
  }
  queue.entries[(queue.first + queue.count++) % queue.capacity] = {wc, sends};
  notify(queue, solicited || wc.status != IBV_WC_SUCCESS);
}

void forget_completions(int number, std::uint32_t queue_pair) {
  CompletionQueue& queue = subnet().completion_queues[number];
  int kept = 0;
  for (int index = 0; index != queue.count; ++index) {
    const Completion entry = queue.entries[(queue.first + index) % queue.capacity];
    if (entry.wc.qp_num != queue_pair) queue.entries[(queue.first + kept++) % queue.capacity] = entry;
  }
  queue.count = kept;
}

int poll_completions(ibv_cq* given, int room, ibv_wc* found) {
  auto& queue = static_cast<Completions&>(*given);
  check_live(queue.live, "completion queue");
  const SubnetLock lock;
  work_off_all();
  CompletionQueue& entry = entry_of(queue);
  if (entry.overrun) misuse("a completion queue of %d entries has overrun", entry.capacity);
  const int taken = std::min(room, entry.count);
  for (int index = 0; index != taken; ++index) {
    const Completion& completion = entry.entries[entry.first];
    found[index] = completion.wc;
    free_sends(queue, completion);
    entry.first = (entry.first + 1) % entry.capacity;
    --entry.count;
  }
  return taken;
}

int arm_completions(ibv_cq* given, int solicited_only) {
  auto& queue = static_cast<Completions&>(*given);
  check_live(queue.live, "completion queue");
  if (queue.channel == nullptr) misuse("a completion queue without a channel is armed");
  const SubnetLock lock;
  CompletionQueue& entry = entry_of(queue);
  if (entry.armed != Armed::any) entry.armed = solicited_only != 0 ? Armed::solicited : Armed::any;
  return 0;
}

}  // namespace fabric

using namespace fabric;

extern "C" {

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  auto* channel = new CompletionChannel{};
  channel->context = context;
  const SubnetLock lock;
  channel->entry = open_channel(channel->fd);
  return channel;
}

int ibv_destroy_comp_channel(ibv_comp_channel* given) {
  auto* channel = static_cast<CompletionChannel*>(given);
  if (channel->refcnt != 0) return EBUSY;
  const SubnetLock lock;
  close_channel(channel->entry, channel->fd);
  delete channel;
  return 0;
}

ibv_cq* ibv_create_cq(ibv_context* context, int room, void* user, ibv_comp_channel* channel, int vector) {
  if (room < 1 || room > most_completions || vector != 0) {
    errno = EINVAL;
    return nullptr;
  }
  const SubnetLock lock;
  auto& entries = subnet().completion_queues;
  auto* entry = std::find_if(std::begin(entries), std::end(entries), [](auto& one) { return one.process == nobody; });
  if (entry == std::end(entries)) {
    errno = ENOMEM;
    return nullptr;
  }
  auto* queue = new Completions{};
  queue->context = context;
  queue->channel = channel;
  queue->cq_context = user;
  queue->cqe = room;
  queue->entry = static_cast<int>(entry - entries);
  entry->process = own_process();
  entry->capacity = room;
  entry->first = entry->count = 0;
  entry->overrun = false;
  entry->armed = Armed::no;
  entry->channel = channel == nullptr ? none : static_cast<CompletionChannel*>(channel)->entry;
  entry->faults_channel = context_of(context).events;
  entry->owner = reinterpret_cast<std::uint64_t>(static_cast<ibv_cq*>(queue));
  if (channel != nullptr) ++channel->refcnt;
  return queue;
}

int ibv_destroy_cq(ibv_cq* given) {
  auto* queue = static_cast<Completions*>(given);
  check_live(queue->live, "completion queue");
  if (queue->users != 0) return EBUSY;
  if (queue->events != queue->comp_events_completed) {
    misuse("a completion queue is destroyed before its events are acknowledged; a real one waits for ever");
  }
  const SubnetLock lock;
  CompletionQueue& entry = entry_of(*queue);
  if (entry.channel != none) {
    forget_events(entry.channel, entry.owner);
    --queue->channel->refcnt;
  }
  forget_events(entry.faults_channel, entry.owner);
  entry.process = nobody;
  queue->live = false;
  retire(queue);
  return 0;
}

int ibv_get_cq_event(ibv_comp_channel* given, ibv_cq** found, void** user) {
  auto* channel = static_cast<CompletionChannel*>(given);
  std::uint64_t object = 0;
  int type = 0;
  if (!take_event(channel->entry, channel->fd, object, type)) return -1;
  auto* queue = static_cast<Completions*>(reinterpret_cast<ibv_cq*>(object));
  ++queue->events;
  *found = queue;
  *user = queue->cq_context;
  return 0;
}

void ibv_ack_cq_events(ibv_cq* queue, unsigned number) {
  queue->comp_events_completed += number;
}

}  // extern "C"
