// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/direct_pair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/random_source.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

// The adapter repeats a packet that is not acknowledged after 4.096 us * 2^timeout, seven times, before it reports an
// error: about a second.
constexpr std::uint8_t acknowledge_timeout = 14;
constexpr std::uint8_t repetitions = 7;
// A receiver without a buffer is asked again without limit. Credits make a lack of buffers rare: only messages that
// need no credit can meet one.
constexpr std::uint8_t without_limit = 7;
constexpr std::uint8_t ask_again_after = 12;  // 0.64 ms
constexpr std::uint8_t hop_limit = 64;
constexpr std::uint32_t packet_mask = 0xffffff;

std::uint32_t random_packet_number() {
  return RandomSource()() & packet_mask;
}

std::uint8_t as_mtu(int bytes) noexcept {
  std::uint8_t mtu = IBV_MTU_256;
  while (mtu < IBV_MTU_4096 && (128 << (mtu + 1)) <= bytes) ++mtu;
  return mtu;
}

std::uint8_t own_mtu(const Port& port) noexcept {
  return mtu_choice.value() == 0 ? port.address.mtu : std::min(port.address.mtu, as_mtu(mtu_choice.value()));
}

}  // namespace

DirectPair::DirectPair(const Adapter& adapter, ibv_cq* completions, ibv_srq* receives)
    : adapter_(adapter), first_packet_(random_packet_number()) {
  ibv_qp_init_attr wanted = attributes_for_pair(adapter, completions, receives);
  owned_.reset(library().create_qp(adapter.domain(), &wanted));
  pair_ = owned_.get();
  if (pair_ == nullptr) throw verbs_error("making a queue pair", adapter.name());
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.pkey_index = adapter.partition_index();
  attributes.port_num = adapter.port().number;
  attributes.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
                               (adapter.has_atomics() ? unsigned{IBV_ACCESS_REMOTE_ATOMIC} : 0U);
  modify(attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, "preparing a queue pair");
}

void DirectPair::modify(ibv_qp_attr& attributes, int mask, const char* what) {
  const int failed = library().modify_qp(pair_, &attributes, mask);
  if (failed != 0) throw verbs_error(what, adapter_.name(), failed);
}

void DirectPair::describe(Handshake& handshake) const noexcept {
  const Port& port = adapter_.port();
  handshake.queue_pair = number();
  handshake.first_packet = first_packet_;
  handshake.lid = port.address.lid;
  handshake.gid = port.address.gid;
  handshake.mtu = own_mtu(port);
  handshake.reads = reads_at_once(adapter_);
}

bool DirectPair::connect(const Handshake& theirs) {
  const Port& port = adapter_.port();
  Handshake mine;
  describe(mine);
  ibv_qp_attr receives{};
  receives.qp_state = IBV_QPS_RTR;
  receives.path_mtu = static_cast<ibv_mtu>(std::min(mine.mtu, theirs.mtu));
  receives.dest_qp_num = theirs.queue_pair;
  receives.rq_psn = theirs.first_packet;
  receives.max_dest_rd_atomic = mine.reads;
  receives.min_rnr_timer = ask_again_after;
  receives.ah_attr.sl = static_cast<std::uint8_t>(service_level.value());
  receives.ah_attr.port_num = port.number;
  receives.ah_attr.dlid = theirs.lid;
  if (port.address.fabric != Fabric::infiniband) {
    receives.ah_attr.is_global = 1;
    std::ranges::copy(theirs.gid, receives.ah_attr.grh.dgid.raw);
    receives.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(port.gid_index);
    receives.ah_attr.grh.hop_limit = hop_limit;
    receives.ah_attr.grh.traffic_class = static_cast<std::uint8_t>(traffic_class.value());
  }
  modify(receives,
         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
             IBV_QP_MIN_RNR_TIMER,
         "connecting a queue pair");
  ibv_qp_attr sends{};
  sends.qp_state = IBV_QPS_RTS;
  sends.timeout = acknowledge_timeout;
  sends.retry_cnt = repetitions;
  sends.rnr_retry = without_limit;
  sends.sq_psn = first_packet_;
  sends.max_rd_atomic = std::min(mine.reads, theirs.reads);
  modify(sends,
         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
         "connecting a queue pair");
  return true;
}

}  // namespace bowline::verbs
