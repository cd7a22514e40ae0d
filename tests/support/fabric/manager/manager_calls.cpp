// SPDX-License-Identifier: BSD-3-Clause
// Addresses, routes and connections. Each port of an Ethernet device has the IPv4 address that its third GID contains;
// its table and the port are those of libibverbs.
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "support/fabric/manager/identifier.hpp"

#undef ibv_query_port

namespace fabric {
namespace {

constexpr int gid_index = 3;  // RoCE version 2 on IPv4
constexpr std::uint32_t packet_mask = 0xffffff;

std::span<ibv_context* const> contexts() {
  static const auto& opened = *[] {  // as in librdmacm, they stay open until the process ends
    auto* const all = new std::vector<ibv_context*>;
    int count = 0;
    ibv_device** const list = ibv_get_device_list(&count);
    for (int i = 0; i != count; ++i) all->push_back(ibv_open_device(list[i]));
    ibv_free_device_list(list);
    return all;
  }();
  return opened;
}

bool is_up(const Identifier& id) {
  ibv_port_attr facts{};
  return ibv_query_port(id.verbs, id.port_num, reinterpret_cast<_compat_ibv_port_attr*>(&facts)) == 0 &&
         facts.state == IBV_PORT_ACTIVE;
}

bool has_address(ibv_context* context, std::uint8_t port, const sockaddr_in& address) {
  ibv_gid gid{};
  return ibv_query_gid(context, port, gid_index, &gid) == 0 && std::memcmp(&gid.raw[12], &address.sin_addr, 4) == 0;
}

int refuse(int error) {
  errno = error;
  return -1;
}

int modify(Identifier& id, ibv_qp_attr attributes, ibv_qp_state state, int mask) {
  attributes.qp_state = state;
  return ibv_modify_qp(id.qp, &attributes, mask | IBV_QP_STATE);
}

void copy_private(const rdma_conn_param& from, Packet& to) {
  if (from.private_data_len > most_private) misuse("%d bytes of private data", int{from.private_data_len});
  to.private_bytes = from.private_data_len;
  if (from.private_data_len > 0) std::memcpy(to.private_data.data(), from.private_data, from.private_data_len);
}

}  // namespace

void describe_pair(const Identifier& id, Packet& packet) {
  packet.queue_pair = id.qp->qp_num;
  packet.first_packet = id.first_packet;
  packet.traffic_class = id.traffic_class;
  ibv_query_gid(id.verbs, id.port_num, gid_index, &packet.gid);
}

int connect_pair(Identifier& id) {
  ibv_qp_attr receives{};
  receives.path_mtu = IBV_MTU_1024;
  receives.dest_qp_num = id.theirs.queue_pair;
  receives.rq_psn = id.theirs.first_packet;
  receives.max_dest_rd_atomic = id.theirs.reads;
  receives.min_rnr_timer = 12;
  receives.ah_attr.port_num = id.port_num;
  receives.ah_attr.is_global = 1;
  receives.ah_attr.grh.dgid = id.theirs.gid;
  receives.ah_attr.grh.sgid_index = gid_index;
  receives.ah_attr.grh.hop_limit = 64;
  receives.ah_attr.grh.traffic_class = id.traffic_class;
  const int failed = modify(
      id, receives, IBV_QPS_RTR,
      IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (failed != 0) return failed;
  ibv_qp_attr sends{};
  sends.timeout = 14;
  sends.retry_cnt = sends.rnr_retry = 7;
  sends.sq_psn = id.first_packet;
  sends.max_rd_atomic = id.theirs.reads;
  return modify(id, sends, IBV_QPS_RTS,
                IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

}  // namespace fabric

using namespace fabric;

extern "C" {

ibv_context** rdma_get_devices(int* count) {
  const auto all = contexts();
  auto* const list = new ibv_context* [all.size() + 1] {};
  std::ranges::copy(all, list);
  *count = static_cast<int>(all.size());
  return list;
}

void rdma_free_devices(ibv_context** list) {
  delete[] list;
}

int rdma_set_option(rdma_cm_id* given, int level, int option, void* value, std::size_t bytes) {
  auto& id = static_cast<Identifier&>(*given);
  if (level != RDMA_OPTION_ID || option != RDMA_OPTION_ID_TOS || bytes != 1) return refuse(EINVAL);
  if (id.verbs != nullptr) misuse("the traffic class is set after the address has been resolved");
  std::memcpy(&id.traffic_class, value, bytes);
  return 0;
}

int rdma_bind_addr(rdma_cm_id* id, sockaddr* given) {
  if (given->sa_family != AF_INET) return refuse(ENODEV);
  sockaddr_in address;
  std::memcpy(&address, given, sizeof address);
  for (ibv_context* const context : contexts()) {
    ibv_device_attr facts{};
    ibv_query_device(context, &facts);
    for (std::uint8_t port = 1; port <= facts.phys_port_cnt; ++port) {
      if (!has_address(context, port, address)) continue;
      id->verbs = context;
      id->port_num = port;
      return 0;
    }
  }
  return refuse(ENODEV);
}

int rdma_listen(rdma_cm_id* given, int /*waiting*/) {
  auto& id = static_cast<Identifier&>(*given);
  if (id.verbs == nullptr || find_listener(channel_of(id)) != nullptr) return refuse(EINVAL);
  id.listens = true;
  return 0;
}

int rdma_resolve_addr(rdma_cm_id* given, sockaddr* source, sockaddr* target, int /*milliseconds*/) {
  auto& id = static_cast<Identifier&>(*given);
  if (rdma_bind_addr(&id, source) != 0) return -1;
  sockaddr_in address;
  std::memcpy(&address, target, sizeof address);
  id.destination = ntohs(address.sin_port);
  report(id, RDMA_CM_EVENT_ADDR_RESOLVED);
  return 0;
}

int rdma_resolve_route(rdma_cm_id* id, int /*milliseconds*/) {
  report(static_cast<Identifier&>(*id), RDMA_CM_EVENT_ROUTE_RESOLVED);
  return 0;
}

int rdma_create_qp(rdma_cm_id* given, ibv_pd* domain, ibv_qp_init_attr* wanted) {
  auto& id = static_cast<Identifier&>(*given);
  if (id.qp != nullptr || id.verbs == nullptr || domain->context != id.verbs) return refuse(EINVAL);
  id.qp = ibv_create_qp(domain, wanted);
  if (id.qp == nullptr) return -1;
  id.first_packet = std::random_device()() & packet_mask;
  ibv_qp_attr attributes{};
  attributes.port_num = id.port_num;
  attributes.qp_access_flags =
      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  const int failed = modify(id, attributes, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  return failed == 0 ? 0 : refuse(failed);
}

void rdma_destroy_qp(rdma_cm_id* id) {
  ibv_destroy_qp(id->qp);
  id->qp = nullptr;
}

int rdma_connect(rdma_cm_id* given, rdma_conn_param* wanted) {
  auto& id = static_cast<Identifier&>(*given);
  Packet packet{};
  packet.kind = PacketKind::request;
  packet.reads = wanted->initiator_depth;
  describe_pair(id, packet);
  copy_private(*wanted, packet);
  if (!is_up(id)) {
    report(id, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
  } else if (!send_packet(id, id.destination, packet)) {
    report(id, RDMA_CM_EVENT_REJECTED, -errno);
  }
  return 0;
}

int rdma_accept(rdma_cm_id* given, rdma_conn_param* wanted) {
  auto& id = static_cast<Identifier&>(*given);
  if (const int failed = connect_pair(id); failed != 0) return refuse(failed);
  Packet packet{};
  packet.kind = PacketKind::reply;
  packet.to = id.peer;
  packet.reads = std::min(wanted->responder_resources, id.theirs.reads);
  describe_pair(id, packet);
  copy_private(*wanted, packet);
  id.connected = true;
  if (!send_packet(id, id.destination, packet)) report(id, RDMA_CM_EVENT_DISCONNECTED);
  return 0;
}

int rdma_reject(rdma_cm_id* given, const void* /*data*/, std::uint8_t /*bytes*/) {
  auto& id = static_cast<Identifier&>(*given);
  Packet packet{};
  packet.kind = PacketKind::reject;
  packet.to = id.peer;
  send_packet(id, id.destination, packet);
  id.peer = 0;
  return 0;
}

}  // extern "C"
