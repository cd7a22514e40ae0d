// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/queue_pair.hpp"

#include <algorithm>

#include "verbs/send_work.hpp"

namespace bowline::verbs {
namespace {

constexpr int most_reads = 16;

}  // namespace

void QueuePair::stop() noexcept {
  if (pair_ == nullptr) return;
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_ERR;
  library().modify_qp(pair_, &attributes, IBV_QP_STATE);  // fails only if the adapter is gone
}

ibv_qp_init_attr attributes_for_pair(const Adapter& adapter, ibv_cq* completions, ibv_srq* receives) noexcept {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = wanted.recv_cq = completions;
  wanted.srq = receives;
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap.max_send_wr = send_depth;
  wanted.cap.max_send_sge = 1;
  wanted.cap.max_inline_data = adapter.max_inline();
  return wanted;
}

std::uint8_t reads_at_once(const Adapter& adapter) noexcept {
  return static_cast<std::uint8_t>(std::clamp(adapter.facts().max_qp_rd_atom, 1, most_reads));
}

}  // namespace bowline::verbs
