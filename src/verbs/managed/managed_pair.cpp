// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/managed/managed_pair.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "verbs/connection/connection.hpp"
#include "verbs/managed/manager.hpp"

namespace bowline::verbs {
namespace {

constexpr int resolving_patience = 2000;  // ms, for an address or a route
constexpr std::uint8_t repetitions_of_packets = 7;
constexpr std::uint8_t ask_without_limit = 7;  // for a receive buffer

Error manager_error(const char* what, const Adapter& adapter, int number = errno) {
  return {ErrorClass::other, fmt::format("{} through the connection manager of the RDMA adapter {} failed: {}", what,
                                         adapter.name(), std::strerror(number))};
}

}  // namespace

ManagedPair::ManagedPair(Manager& manager, Connection& connection, ibv_cq* completions, ibv_srq* receives)
    : manager_(manager),
      connection_(connection),
      completions_(completions),
      receives_(receives),
      epoch_(connection.link().epoch()) {
  manager_.add(*this, connection_.number());
}

ManagedPair::~ManagedPair() {
  manager_.remove(connection_.number());
}

bool ManagedPair::connect(const Handshake& theirs) {
  knows_ = true;
  their_link_ = theirs.link;
  asks_ = manager_.cookie() < connection_.address().cookie;
  if (asks_) {
    ask();
    return false;
  }
  if (id_ == nullptr) return false;
  accept();
  return true;
}

void ManagedPair::ask() {
  id_ = manager_.make_own_id(*this);
  SocketAddress from = manager_.place();
  from.tcp_port = 0;
  sockaddr_storage source{}, target{};
  write_socket_address(from, source);
  write_socket_address(connection_.address().manager, target);
  if (rdmacm().resolve_addr(id_.get(), reinterpret_cast<sockaddr*>(&source), reinterpret_cast<sockaddr*>(&target),
                            resolving_patience) != 0) {
    throw Error(ErrorClass::other,
                fmt::format("the connection manager knows no way from {} to {}: {}", address_text(from),
                            address_text(connection_.address().manager), std::strerror(errno)));
  }
}

void ManagedPair::make() {
  const Adapter& adapter = manager_.adapter();
  if (id_->verbs != adapter.device()) {
    throw Error(ErrorClass::other, fmt::format("the connection manager reaches {} through another RDMA adapter than {}",
                                               address_text(connection_.address().manager), adapter.name()));
  }
  ibv_qp_init_attr wanted = attributes_for_pair(adapter, completions_, receives_);
  if (rdmacm().create_qp(id_.get(), adapter.domain(), &wanted) != 0)
    throw verbs_error("making a queue pair", adapter.name());
  pair_ = id_->qp;
}

void ManagedPair::asked(ManagerId id, std::uint32_t epoch) {
  if (epoch != epoch_ || asks_ || id_ != nullptr) {
    rdmacm().reject(id.get(), nullptr, 0);  // the peer has made a newer queue pair, or will
    return;
  }
  id_ = std::move(id);
  id_->context = this;
  if (!knows_) return;
  accept();
  connection_.can_receive();
}

void ManagedPair::accept() {
  make();
  rdma_conn_param wanted{};
  wanted.responder_resources =
      RDMA_MAX_RESP_RES;  // as many reads at once as the peer asks for, and both adapters can execute
  wanted.initiator_depth = RDMA_MAX_INIT_DEPTH;
  wanted.rnr_retry_count = ask_without_limit;
  if (rdmacm().accept(id_.get(), &wanted) != 0) throw manager_error("accepting a connection", manager_.adapter());
}

void ManagedPair::handle(rdma_cm_event_type event, int status) {
  switch (event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      if (rdmacm().resolve_route(id_.get(), resolving_patience) != 0)
        throw manager_error("finding a route", manager_.adapter());
      return;
    case RDMA_CM_EVENT_ROUTE_RESOLVED: {
      make();
      const ConnectRequest request{connection_.address().cookie, their_link_, epoch_};
      rdma_conn_param wanted{};
      wanted.private_data = &request;
      wanted.private_data_len = sizeof request;
      wanted.responder_resources = wanted.initiator_depth = reads_at_once(manager_.adapter());
      wanted.retry_count = repetitions_of_packets;
      wanted.rnr_retry_count = ask_without_limit;
      if (rdmacm().connect(id_.get(), &wanted) != 0) broke(RDMA_CM_EVENT_CONNECT_ERROR, -errno);
      return;
    }
    case RDMA_CM_EVENT_ESTABLISHED:
      // The side that has accepted can receive already; it may not send before it has received something.
      if (asks_) connection_.can_send_first();
      return;
    case RDMA_CM_EVENT_ADDR_ERROR:
    case RDMA_CM_EVENT_ROUTE_ERROR:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_DISCONNECTED:
      return broke(event, status);
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      throw Error(ErrorClass::other, "it was removed");
    default:
      return;  // ADDR_CHANGE and TIMEWAIT_EXIT; other events do not concern reliable connections
  }
}

void ManagedPair::lose(const char* why) noexcept {
  connection_.lose(why);
}

/// The status is a negative errno, or a reason that the fabric's specification names.
void ManagedPair::broke(rdma_cm_event_type event, int status) noexcept {
  std::string why = rdmacm().event_str(event);
  if (status < 0) why += fmt::format(": {}", std::strerror(-status));
  if (status > 0) why += fmt::format(": reason {}", status);
  connection_.broke(std::move(why), true);
}

}  // namespace bowline::verbs
