// SPDX-License-Identifier: BSD-3-Clause
// Reliable-connected queue pairs: made, destroyed, asked.
#include <algorithm>
#include <cerrno>

#include "support/fabric/adapter.hpp"
#include "support/fabric/events.hpp"
#include "support/fabric/execution.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/misuse.hpp"
#include "support/fabric/queues.hpp"

namespace fabric {
namespace {

int check_wishes(const ibv_pd* domain, const ibv_qp_init_attr& wanted) {
  const ibv_qp_cap& room = wanted.cap;
  if (wanted.qp_type != IBV_QPT_RC) return EOPNOTSUPP;
  if (wanted.send_cq == nullptr || wanted.recv_cq == nullptr) return EINVAL;
  if (wanted.send_cq->context != domain->context || wanted.recv_cq->context != domain->context) return EINVAL;
  if (wanted.srq != nullptr && wanted.srq->context != domain->context) return EINVAL;
  const bool receives = wanted.srq != nullptr || (room.max_recv_wr <= static_cast<unsigned>(most_receives) &&
                                                  room.max_recv_sge <= static_cast<unsigned>(most_receive_pieces));
  const bool sends = room.max_send_wr <= static_cast<unsigned>(most_sends) &&
                     room.max_send_sge <= static_cast<unsigned>(most_pieces) &&
                     room.max_inline_data <= static_cast<unsigned>(settings().max_inline);
  return receives && sends ? 0 : EINVAL;
}

QueuePair* unused_entry() {
  static int next = 0;
  for (int tried = 0; tried != most_queue_pairs; ++tried) {
    QueuePair& entry = subnet().queue_pairs[next++ % most_queue_pairs];
    if (entry.process == nobody) return &entry;
  }
  return nullptr;
}

void fill_entry(QueuePair& entry, const Pair& pair, int receives) {
  const std::uint32_t uses = entry.uses + 1;
  entry = {};
  entry.uses = uses;
  entry.process = own_process();
  entry.number = pair.qp_num;
  entry.state = IBV_QPS_RESET;
  entry.domain = static_cast<Domain*>(pair.pd)->number;
  entry.send_completions = static_cast<Completions*>(pair.send_cq)->entry;
  entry.receive_completions = static_cast<Completions*>(pair.recv_cq)->entry;
  entry.receives = receives;
  entry.faults_channel = context_of(pair.context).events;
  entry.owner = reinterpret_cast<std::uint64_t>(static_cast<const ibv_qp*>(&pair));
}

Pair* make_pair(ibv_pd* domain, const ibv_qp_init_attr& wanted, QueuePair& entry, int receives) {
  auto* pair = new Pair{};
  const auto index = static_cast<std::uint32_t>(&entry - subnet().queue_pairs);
  constexpr std::uint32_t numbers = 1U << 24;  // a queue pair's number has 24 bits
  pair->context = domain->context;
  pair->qp_context = wanted.qp_context;
  pair->pd = domain;
  pair->send_cq = wanted.send_cq;
  pair->recv_cq = wanted.recv_cq;
  pair->srq = wanted.srq;
  pair->qp_num = ((entry.uses + 1) * most_queue_pairs + index) % numbers;
  pair->state = IBV_QPS_RESET;
  pair->qp_type = IBV_QPT_RC;
  pair->entry = static_cast<int>(index);
  pair->every_send_signaled = wanted.sq_sig_all != 0;
  pair->capacity = wanted.cap;
  pair->sends.slots.resize(std::max(1U, wanted.cap.max_send_wr));
  fill_entry(entry, *pair, receives);
  return pair;
}

void change_users(const Pair& pair, int by) {
  static_cast<Domain*>(pair.pd)->users += by;
  static_cast<Completions*>(pair.send_cq)->users += by;
  static_cast<Completions*>(pair.recv_cq)->users += by;
  if (pair.srq != nullptr) static_cast<SharedReceives*>(pair.srq)->users += by;
}

}  // namespace
}  // namespace fabric

using namespace fabric;

extern "C" {

ibv_qp* ibv_create_qp(ibv_pd* domain, ibv_qp_init_attr* wanted) {
  check_live(static_cast<Domain*>(domain)->live, "protection domain");
  if (const int error = check_wishes(domain, *wanted); error != 0) {
    errno = error;
    return nullptr;
  }
  check_live(static_cast<Completions*>(wanted->send_cq)->live, "completion queue");
  check_live(static_cast<Completions*>(wanted->recv_cq)->live, "completion queue");
  const SubnetLock lock;
  QueuePair* entry = unused_entry();
  int receives = none;
  if (wanted->srq != nullptr) {
    check_live(static_cast<SharedReceives*>(wanted->srq)->live, "shared receive queue");
    receives = static_cast<SharedReceives*>(wanted->srq)->entry;
  } else if (entry != nullptr) {
    receives = open_receive_queue(domain, false, std::max(1, static_cast<int>(wanted->cap.max_recv_wr)));
  }
  if (receives == none) {
    errno = ENOMEM;
    return nullptr;
  }
  Pair* pair = make_pair(domain, *wanted, *entry, receives);
  change_users(*pair, 1);
  add_pair(*pair);
  return pair;
}

int ibv_query_qp(ibv_qp* given, ibv_qp_attr* answer, int /*mask*/, ibv_qp_init_attr* made) {
  auto& pair = static_cast<Pair&>(*given);
  check_live(pair.live, "queue pair");
  const SubnetLock lock;
  *answer = pair.attributes;
  answer->qp_state = answer->cur_qp_state = entry_of(pair).state;
  answer->cap = pair.capacity;
  *made = {pair.qp_context, pair.send_cq, pair.recv_cq, pair.srq, pair.capacity, IBV_QPT_RC, pair.every_send_signaled};
  return 0;
}

int ibv_destroy_qp(ibv_qp* given) {
  auto* pair = static_cast<Pair*>(given);
  check_live(pair->live, "queue pair");
  const SubnetLock lock;
  QueuePair& entry = entry_of(*pair);
  forget_events(entry.faults_channel, entry.owner);
  forget_completions(entry.send_completions, entry.number);
  forget_completions(entry.receive_completions, entry.number);
  if (pair->srq == nullptr) subnet().receive_queues[entry.receives].process = nobody;
  entry.process = nobody;
  remove_pair(*pair);
  change_users(*pair, -1);
  pair->live = false;
  retire(pair);
  return 0;
}

}  // extern "C"
