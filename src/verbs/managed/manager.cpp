// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/managed/manager.hpp"

#include <arpa/inet.h>
#include <fcntl.h>

#include <cstring>
#include <exception>
#include <utility>

#include "base/log.hpp"
#include "verbs/connection/connection.hpp"

namespace bowline::verbs {
namespace {

constexpr int waiting_requests = 4096;

EventChannel make_silent_channel(const Adapter& adapter) {
  EventChannel channel = make_event_channel();
  if (fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK) != 0)
    throw verbs_error("making a channel of the connection manager", adapter.name());
  return channel;
}

std::optional<ConnectRequest> read_request(const rdma_conn_param& theirs) noexcept {
  ConnectRequest request;
  // Some fabrics fill up what was sent with zeros.
  if (theirs.private_data == nullptr || theirs.private_data_len < sizeof request) return std::nullopt;
  std::memcpy(&request, theirs.private_data, sizeof request);
  return request;
}

}  // namespace

Manager::Manager(Adapter& adapter, std::uint64_t cookie)
    : adapter_(adapter),
      cookie_(cookie),
      place_(adapter.port().interface),
      channel_(make_silent_channel(adapter)),
      listener_(make_id(channel_, nullptr)) {
  sockaddr_storage address{};
  write_socket_address(place_, address);
  if (rdmacm().bind_addr(listener_.get(), reinterpret_cast<sockaddr*>(&address)) != 0 ||
      rdmacm().listen(listener_.get(), waiting_requests) != 0)
    throw verbs_error("listening through the connection manager", adapter.name());
  place_.tcp_port = ntohs(rdmacm().get_src_port(listener_.get()));
}

std::unique_ptr<QueuePair> Manager::make_pair(Connection& connection, ibv_cq* completions, ibv_srq* receives) {
  return std::make_unique<ManagedPair>(*this, connection, completions, receives);
}

void Manager::progress() noexcept {
  rdma_cm_event* event = nullptr;
  while (rdmacm().get_cm_event(channel_.get(), &event) == 0) handle(*event);
}

/// Acknowledges the event first, because an identifier with unacknowledged events cannot be destroyed.
void Manager::handle(rdma_cm_event& event) noexcept {
  const rdma_cm_event_type type = event.event;
  const int status = event.status;
  rdma_cm_id* const id = event.id;
  if (type == RDMA_CM_EVENT_CONNECT_REQUEST) {
    ManagerId asking(id);
    const auto request = read_request(event.param.conn);
    rdmacm().ack_cm_event(&event);
    return answer(std::move(asking), request);
  }
  auto* const pair = static_cast<ManagedPair*>(id->context);
  rdmacm().ack_cm_event(&event);
  if (pair == nullptr) return;  // an event of the listener: its adapter is gone, which other parts notice, too
  try {
    pair->handle(type, status);
  } catch (const std::exception& error) {
    pair->lose(error.what());
  }
}

void Manager::answer(ManagerId id, const std::optional<ConnectRequest>& request) noexcept {
  const auto known = request.has_value() && request->cookie == cookie_ ? pairs_.find(request->link) : pairs_.end();
  if (known == pairs_.end()) {
    rdmacm().reject(id.get(), nullptr, 0);
    return;
  }
  try {
    known->second->asked(std::move(id), request->epoch);
  } catch (const std::exception& error) {
    known->second->lose(error.what());
  }
}

std::unique_ptr<ConnectionManager> make_connection_manager(Adapter& adapter, std::uint64_t cookie) {
  return std::make_unique<Manager>(adapter, cookie);
}

}  // namespace bowline::verbs
