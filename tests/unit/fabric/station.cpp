// SPDX-License-Identifier: BSD-3-Clause
#include "station.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace fabric::test {

Buffer::Buffer(ibv_pd* domain, std::size_t length, int access)
    : bytes_(length), region_(ibv_reg_mr(domain, bytes_.data(), length, access)) {
  EXPECT_NE(region_, nullptr);
}

Buffer::~Buffer() {
  EXPECT_EQ(ibv_dereg_mr(region_), 0);
}

ibv_sge Buffer::piece(std::size_t offset, std::size_t length) const {
  return {reinterpret_cast<std::uint64_t>(bytes_.data()) + offset, static_cast<std::uint32_t>(length), region_->lkey};
}

Station::Station(const StationOptions& options) {
  ibv_device** devices = ibv_get_device_list(nullptr);
  context = ibv_open_device(devices[0]);
  ibv_free_device_list(devices);
  domain = ibv_alloc_pd(context);
  completions = ibv_create_cq(context, options.completions, nullptr, options.channel, 0);
  if (options.shared_receives) {
    ibv_srq_init_attr room{};
    room.attr = {16, 4, 0};
    receives = ibv_create_srq(domain, &room);
  }
  ibv_qp_init_attr attributes{};
  attributes.send_cq = attributes.recv_cq = completions;
  attributes.srq = receives;
  attributes.cap = {options.sends, 16, 4, 4, options.inline_bytes};
  attributes.qp_type = IBV_QPT_RC;
  pair = ibv_create_qp(domain, &attributes);
  EXPECT_NE(pair, nullptr);
}

Station::~Station() {
  EXPECT_EQ(ibv_destroy_qp(pair), 0);
  EXPECT_EQ(receives == nullptr ? 0 : ibv_destroy_srq(receives), 0);
  EXPECT_EQ(ibv_destroy_cq(completions), 0);
  EXPECT_EQ(ibv_dealloc_pd(domain), 0);
  EXPECT_EQ(ibv_close_device(context), 0);
}

Address Station::address() const {
  Address own{pair->qp_num, pair->qp_num + 7, 0, {}};
  ibv_port_attr port{};
  EXPECT_EQ(ibv_query_port(context, 1, &port), 0);
  own.lid = port.lid;
  EXPECT_EQ(ibv_query_gid(context, 1, port.link_layer == IBV_LINK_LAYER_ETHERNET ? 3 : 0, &own.gid), 0);
  return own;
}

void Station::initialize(unsigned access) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = 1;
  attributes.qp_access_flags = access;
  EXPECT_EQ(ibv_modify_qp(pair, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS), 0);
}

void Station::ready_to_receive(const Address& peer) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.path_mtu = IBV_MTU_1024;
  attributes.dest_qp_num = peer.number;
  attributes.rq_psn = peer.psn;
  attributes.max_dest_rd_atomic = 4;
  attributes.min_rnr_timer = 1;
  attributes.ah_attr.port_num = 1;
  attributes.ah_attr.dlid = peer.lid;
  if (peer.lid == 0) {
    attributes.ah_attr.is_global = 1;
    attributes.ah_attr.grh.dgid = peer.gid;
    attributes.ah_attr.grh.sgid_index = 3;
    attributes.ah_attr.grh.hop_limit = 1;
  }
  EXPECT_EQ(ibv_modify_qp(pair, &attributes,
                          IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                              IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
            0);
}

void Station::ready_to_send(const Patience& patience) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.timeout = patience.timeout;
  attributes.retry_cnt = patience.retries;
  attributes.rnr_retry = patience.rnr_retries;
  attributes.max_rd_atomic = patience.reads;
  attributes.sq_psn = address().psn;
  EXPECT_EQ(ibv_modify_qp(pair, &attributes,
                          IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                              IBV_QP_MAX_QP_RD_ATOMIC),
            0);
}

void Station::connect(const Address& peer, const Patience& patience) {
  initialize();
  ready_to_receive(peer);
  ready_to_send(patience);
}

void connect(Station& one, Station& other, const Patience& patience) {
  one.connect(other.address(), patience);
  other.connect(one.address(), patience);
}

void Station::receive(std::uint64_t id, std::span<const ibv_sge> pieces) const {
  ibv_recv_wr request{id, nullptr, const_cast<ibv_sge*>(pieces.data()), static_cast<int>(pieces.size())};
  ibv_recv_wr* bad = nullptr;
  EXPECT_EQ(receives != nullptr ? ibv_post_srq_recv(receives, &request, &bad) : ibv_post_recv(pair, &request, &bad), 0);
}

int Station::post(ibv_wr_opcode opcode, std::uint64_t id, const ibv_sge& piece, const Place& place,
                  unsigned flags) const {
  ibv_sge list = piece;
  ibv_send_wr request{};
  request.wr_id = id;
  request.sg_list = &list;
  request.num_sge = 1;
  request.opcode = opcode;
  request.send_flags = flags;
  request.imm_data = static_cast<std::uint32_t>(id);
  request.wr.rdma.remote_addr = place.address;
  request.wr.rdma.rkey = place.key;
  ibv_send_wr* bad = nullptr;
  return ibv_post_send(pair, &request, &bad);
}

int Station::post_atomic(ibv_wr_opcode opcode, std::uint64_t id, const ibv_sge& piece, const Place& place,
                         std::uint64_t add_or_compare, std::uint64_t swap) const {
  ibv_sge list = piece;
  ibv_send_wr request{};
  request.wr_id = id;
  request.sg_list = &list;
  request.num_sge = 1;
  request.opcode = opcode;
  request.send_flags = IBV_SEND_SIGNALED;
  request.wr.atomic.remote_addr = place.address;
  request.wr.atomic.rkey = place.key;
  request.wr.atomic.compare_add = add_or_compare;
  request.wr.atomic.swap = swap;
  ibv_send_wr* bad = nullptr;
  return ibv_post_send(pair, &request, &bad);
}

std::optional<ibv_wc> Station::poll() const {
  ibv_wc wc;
  const int found = ibv_poll_cq(completions, 1, &wc);
  EXPECT_GE(found, 0);
  return found == 1 ? std::optional(wc) : std::nullopt;
}

ibv_wc Station::next() const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    if (const auto wc = poll()) return *wc;
  }
  ADD_FAILURE() << "no completion";
  return {};
}

ibv_qp_state Station::state() const {
  ibv_qp_attr attributes{};
  ibv_qp_init_attr made{};
  EXPECT_EQ(ibv_query_qp(pair, &attributes, IBV_QP_STATE, &made), 0);
  return attributes.qp_state;
}

}  // namespace fabric::test
