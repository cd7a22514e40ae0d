// SPDX-License-Identifier: BSD-3-Clause
// What arrives in an event channel, and becomes events of the program.
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "support/fabric/manager/identifier.hpp"

namespace fabric {
namespace {

constexpr int rejected_by_program = 28;  // as InfiniBand numbers the reasons

struct Event : rdma_cm_event {
  Packet packet;
};

std::unique_ptr<Event> make_event(Identifier& id, rdma_cm_event_type type, int status, const Packet& packet) {
  auto made = std::make_unique<Event>();
  made->id = &id;
  made->event = type;
  made->status = status;
  made->packet = packet;
  made->param.conn.private_data = made->packet.private_data.data();
  made->param.conn.private_data_len = most_private;  // filled up with zeros
  made->param.conn.responder_resources = made->param.conn.initiator_depth = packet.reads;
  return made;
}

std::unique_ptr<Event> request_came(EventChannel& channel, const Packet& packet) {
  Identifier* const listener = find_listener(channel);
  if (listener == nullptr) return nullptr;
  Identifier& made = add_identifier(channel, listener->context);
  made.verbs = listener->verbs;
  made.port_num = listener->port_num;
  made.destination = packet.from_channel;
  made.traffic_class = packet.traffic_class;
  made.peer = packet.from;
  made.theirs = packet;
  auto event = make_event(made, RDMA_CM_EVENT_CONNECT_REQUEST, 0, packet);
  event->listen_id = listener;
  return event;
}

std::unique_ptr<Event> reply_came(Identifier& id, const Packet& packet) {
  id.peer = packet.from;
  id.theirs = packet;
  if (const int failed = connect_pair(id); failed != 0)
    return make_event(id, RDMA_CM_EVENT_CONNECT_ERROR, -failed, packet);
  id.connected = true;
  Packet ready{};
  ready.kind = PacketKind::ready;
  ready.to = id.peer;
  send_packet(id, id.destination, ready);
  return make_event(id, RDMA_CM_EVENT_ESTABLISHED, 0, packet);
}

/// Nothing if the packet is of no concern any more.
std::unique_ptr<Event> event_of(EventChannel& channel, const Packet& packet) {
  if (packet.kind == PacketKind::request) return request_came(channel, packet);
  Identifier* const id = find_identifier(packet.to);
  if (id == nullptr || id->channel != &channel) return nullptr;
  switch (packet.kind) {
    case PacketKind::reply:
      return reply_came(*id, packet);
    case PacketKind::ready:
      return make_event(*id, RDMA_CM_EVENT_ESTABLISHED, 0, packet);
    case PacketKind::reject:
      return make_event(*id, RDMA_CM_EVENT_REJECTED, rejected_by_program, packet);
    case PacketKind::disconnect:
      return make_event(*id, RDMA_CM_EVENT_DISCONNECTED, 0, packet);
    default:
      return make_event(*id, packet.event, packet.status, packet);
  }
}

}  // namespace
}  // namespace fabric

using namespace fabric;

extern "C" {

int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  for (;;) {
    Packet packet;
    if (recv(channel->fd, &packet, sizeof packet, 0) < 0) return -1;
    auto made = event_of(static_cast<EventChannel&>(*channel), packet);
    if (made == nullptr) continue;
    ++static_cast<Identifier*>(made->id)->unacknowledged;
    *event = made.release();
    return 0;
  }
}

int rdma_ack_cm_event(rdma_cm_event* given) {
  const std::unique_ptr<Event> event(static_cast<Event*>(given));
  --static_cast<Identifier*>(event->id)->unacknowledged;
  return 0;
}

const char* rdma_event_str(rdma_cm_event_type event) {
  switch (event) {
    case RDMA_CM_EVENT_UNREACHABLE:
      return "RDMA_CM_EVENT_UNREACHABLE";
    case RDMA_CM_EVENT_REJECTED:
      return "RDMA_CM_EVENT_REJECTED";
    case RDMA_CM_EVENT_DISCONNECTED:
      return "RDMA_CM_EVENT_DISCONNECTED";
    default:
      return "another event of the connection manager";
  }
}

}  // extern "C"
