// SPDX-License-Identifier: BSD-3-Clause
// The states of a queue pair (InfiniBand architecture specification, volume 1, section 10.3.1), and which attributes a
// transition needs and allows.
#include <algorithm>
#include <cerrno>

#include "support/fabric/adapter.hpp"
#include "support/fabric/counts.hpp"
#include "support/fabric/execution.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/queues.hpp"

namespace fabric {
namespace {

struct Transition {
  ibv_qp_state from;
  ibv_qp_state to;
  int needed;
  int allowed;  ///< besides
};

constexpr Transition transitions[] = {
    {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, 0},
    {IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS},
    {IBV_QPS_INIT, IBV_QPS_RTR,
     IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
     IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS},
    {IBV_QPS_RTR, IBV_QPS_RTS,
     IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
     IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER},
    {IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER},
};

bool is_allowed(ibv_qp_state from, ibv_qp_state to, int mask) {
  mask &= ~IBV_QP_STATE;
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) return mask == 0;
  return std::any_of(std::begin(transitions), std::end(transitions), [&](const Transition& known) {
    return known.from == from && known.to == to && (mask & known.needed) == known.needed &&
           (mask & ~(known.needed | known.allowed)) == 0;
  });
}

constexpr unsigned remote_access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

// On Ethernet there are no LIDs: the path must be a global one.
bool is_path(const ibv_ah_attr& path, int port) {
  if (path.port_num != port || path.sl > 15) return false;
  if (path.is_global != 0 && path.grh.sgid_index >= gids()) return false;
  return settings().ethernet ? path.is_global == 1 && path.grh.hop_limit != 0 : path.dlid != 0;
}

bool are_valid(const Pair& pair, const ibv_qp_attr& wanted, int mask) {
  const auto given = [mask](int attribute) { return (mask & attribute) != 0; };
  if (given(IBV_QP_PORT) && (wanted.port_num < 1 || wanted.port_num > settings().ports)) return false;
  if (given(IBV_QP_PKEY_INDEX) && wanted.pkey_index != 0) return false;
  if (given(IBV_QP_ACCESS_FLAGS) && (wanted.qp_access_flags & ~(remote_access | IBV_ACCESS_LOCAL_WRITE)) != 0) {
    return false;
  }
  if (given(IBV_QP_AV) && !is_path(wanted.ah_attr, pair.attributes.port_num)) return false;
  const ibv_mtu active = settings().ethernet ? IBV_MTU_1024 : IBV_MTU_4096;
  if (given(IBV_QP_PATH_MTU) && (wanted.path_mtu < IBV_MTU_256 || wanted.path_mtu > active)) return false;
  if (given(IBV_QP_MAX_DEST_RD_ATOMIC) && wanted.max_dest_rd_atomic > most_reads) return false;
  if (given(IBV_QP_MAX_QP_RD_ATOMIC) && wanted.max_rd_atomic > most_reads) return false;
  if (given(IBV_QP_MIN_RNR_TIMER) && wanted.min_rnr_timer > 31) return false;
  if (given(IBV_QP_TIMEOUT) && wanted.timeout > 31) return false;
  if (given(IBV_QP_RETRY_CNT) && wanted.retry_cnt > 7) return false;
  return !given(IBV_QP_RNR_RETRY) || wanted.rnr_retry <= 7;
}

// Both what ibv_query_qp returns, and what other processes see.
void take(Pair& pair, QueuePair& entry, const ibv_qp_attr& wanted, int mask) {
  const auto given = [mask](int attribute) { return (mask & attribute) != 0; };
  ibv_qp_attr& kept = pair.attributes;
  if (given(IBV_QP_PORT)) {
    kept.port_num = wanted.port_num;
    entry.port = fabric_port(context_of(pair.context).device_number, wanted.port_num);
  }
  if (given(IBV_QP_ACCESS_FLAGS)) entry.access = kept.qp_access_flags = wanted.qp_access_flags;
  if (given(IBV_QP_AV)) {
    kept.ah_attr = wanted.ah_attr;
    const ibv_global_route& route = wanted.ah_attr.grh;
    if (wanted.ah_attr.is_global != 0) ++counts.traffic_classes[route.traffic_class];
    entry.path = {wanted.ah_attr.dlid, route.dgid, gid_type_of(route.sgid_index), wanted.ah_attr.is_global != 0};
  }
  if (given(IBV_QP_PATH_MTU)) entry.mtu = kept.path_mtu = wanted.path_mtu;
  if (given(IBV_QP_DEST_QPN)) entry.peer = kept.dest_qp_num = wanted.dest_qp_num;
  if (given(IBV_QP_RQ_PSN)) entry.receive_psn = kept.rq_psn = wanted.rq_psn & 0xff'ffffU;
  if (given(IBV_QP_SQ_PSN)) entry.send_psn = kept.sq_psn = wanted.sq_psn & 0xff'ffffU;
  if (given(IBV_QP_MAX_DEST_RD_ATOMIC)) entry.reads_allowed = kept.max_dest_rd_atomic = wanted.max_dest_rd_atomic;
  if (given(IBV_QP_MAX_QP_RD_ATOMIC)) kept.max_rd_atomic = wanted.max_rd_atomic;
  if (given(IBV_QP_MIN_RNR_TIMER)) entry.receiver_not_ready_timer = kept.min_rnr_timer = wanted.min_rnr_timer;
  if (given(IBV_QP_TIMEOUT)) kept.timeout = wanted.timeout;
  if (given(IBV_QP_RETRY_CNT)) kept.retry_cnt = wanted.retry_cnt;
  if (given(IBV_QP_RNR_RETRY)) kept.rnr_retry = wanted.rnr_retry;
}

void reset(Pair& pair, QueuePair& entry) {
  forget_completions(entry.send_completions, entry.number);
  forget_completions(entry.receive_completions, entry.number);
  if (pair.srq == nullptr) subnet().receive_queues[entry.receives].count = 0;
  SendQueue& sends = pair.sends;
  sends.posted = sends.executed = sends.freed = 0;
  sends.waiting_since = 0;
  pair.attributes = {};
  entry.peer = 0;
  entry.state = IBV_QPS_RESET;
}

}  // namespace
}  // namespace fabric

using namespace fabric;

extern "C" int ibv_modify_qp(ibv_qp* given, ibv_qp_attr* wanted, int mask) {
  auto& pair = static_cast<Pair&>(*given);
  check_live(pair.live, "queue pair");
  const SubnetLock lock;
  QueuePair& entry = entry_of(pair);
  const ibv_qp_state next = (mask & IBV_QP_STATE) != 0 ? wanted->qp_state : entry.state;
  if ((mask & IBV_QP_CUR_STATE) != 0 && wanted->cur_qp_state != entry.state) return EINVAL;
  if (!is_allowed(entry.state, next, mask) || !are_valid(pair, *wanted, mask)) return EINVAL;
  if (next == IBV_QPS_RESET) {
    reset(pair, entry);
  } else if (next == IBV_QPS_ERR) {
    break_pair(entry, none);
    work_off(pair);
  } else {
    take(pair, entry, *wanted, mask);
    entry.state = next;
  }
  pair.state = next;
  return 0;
}
