// SPDX-License-Identifier: BSD-3-Clause
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "support/fabric/manager/identifier.hpp"

namespace fabric {
namespace {

struct Registry {
  std::mutex mutex;
  std::uint64_t last = 0;
  std::map<std::uint64_t, std::unique_ptr<Identifier>> identifiers;
};

Registry& registry() {
  static Registry all;
  return all;
}

struct ChannelName {
  sockaddr_un address;
  socklen_t length;
};

/// In the abstract name space, where nothing is left behind.
ChannelName name_of(std::uint16_t number) {
  const char* const id = std::getenv("FABRIC_ID");
  const std::string fabric = id != nullptr ? id : std::to_string(getuid());
  ChannelName name{};
  name.address.sun_family = AF_UNIX;
  const int written = std::snprintf(name.address.sun_path + 1, sizeof name.address.sun_path - 1, "fabric-cm-%s-%u",
                                    fabric.c_str(), unsigned{number});
  name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(written));
  return name;
}

}  // namespace

EventChannel& channel_of(const Identifier& id) {
  return static_cast<EventChannel&>(*id.channel);
}

bool send_packet(const Identifier& id, std::uint16_t channel, Packet packet) {
  packet.from_channel = channel_of(id).number;
  packet.from = id.number;
  const ChannelName name = name_of(channel);
  return sendto(id.channel->fd, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT,
                reinterpret_cast<const sockaddr*>(&name.address), name.length) >= 0;
}

void report(const Identifier& id, rdma_cm_event_type event, int status) {
  Packet packet{};
  packet.kind = PacketKind::event;
  packet.event = event;
  packet.status = status;
  packet.to = id.number;
  if (!send_packet(id, channel_of(id).number, packet))
    misuse("an event channel takes no event: %s", std::strerror(errno));
}

Identifier* find_identifier(std::uint64_t number) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().identifiers.find(number);
  return found == registry().identifiers.end() ? nullptr : found->second.get();
}

Identifier* find_listener(const EventChannel& channel) {
  const std::lock_guard lock(registry().mutex);
  for (const auto& [number, id] : registry().identifiers)
    if (id->listens && id->channel == &channel) return id.get();
  return nullptr;
}

Identifier& add_identifier(EventChannel& channel, void* context) {
  const std::lock_guard lock(registry().mutex);
  auto made = std::make_unique<Identifier>();
  made->number = ++registry().last;
  made->channel = &channel;
  made->context = context;
  made->ps = RDMA_PS_TCP;
  ++channel.identifiers;
  return *registry().identifiers.emplace(made->number, std::move(made)).first->second;
}

void forget_identifier(Identifier& id) {
  const std::lock_guard lock(registry().mutex);
  --channel_of(id).identifiers;
  registry().identifiers.erase(id.number);
}

}  // namespace fabric

using namespace fabric;

extern "C" {

rdma_event_channel* rdma_create_event_channel() {
  auto made = std::make_unique<EventChannel>();
  made->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (made->fd < 0) return nullptr;
  auto number = static_cast<std::uint16_t>(getpid());
  for (int tries = 0; tries != 65536; ++tries, ++number) {
    const ChannelName name = name_of(number);
    if (number == 0 || bind(made->fd, reinterpret_cast<const sockaddr*>(&name.address), name.length) != 0) continue;
    made->number = number;
    return made.release();
  }
  close(made->fd);
  return nullptr;
}

void rdma_destroy_event_channel(rdma_event_channel* given) {
  auto* const channel = static_cast<EventChannel*>(given);
  if (channel->identifiers != 0)
    misuse("an event channel is destroyed before its %d identifiers", channel->identifiers);
  close(channel->fd);
  delete channel;
}

int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space space) {
  if (channel == nullptr || space != RDMA_PS_TCP)
    misuse("identifiers without a channel, or of another space than TCP's");
  *id = &add_identifier(static_cast<EventChannel&>(*channel), context);
  return 0;
}

int rdma_destroy_id(rdma_cm_id* given) {
  auto& id = static_cast<Identifier&>(*given);
  if (id.qp != nullptr) misuse("an identifier is destroyed before its queue pair");
  if (id.unacknowledged != 0) misuse("an identifier is destroyed with %d unacknowledged events", id.unacknowledged);
  Packet packet{};
  packet.kind = id.connected ? PacketKind::disconnect : PacketKind::reject;
  packet.to = id.peer;
  if (id.peer != 0) send_packet(id, id.destination, packet);
  forget_identifier(id);
  return 0;
}

__be16 rdma_get_src_port(rdma_cm_id* id) {
  return htobe16(channel_of(static_cast<Identifier&>(*id)).number);
}

}  // extern "C"
