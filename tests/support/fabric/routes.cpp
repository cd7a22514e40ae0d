// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/routes.hpp"

#include <algorithm>
#include <string>

#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/links.hpp"

namespace fabric {
namespace {

int end_of(const Path& path) {
  return settings().ethernet ? port_with(path.gid) : static_cast<int>(path.lid);
}

bool expects(const QueuePair& pair, const QueuePair& other) {
  return pair.peer == other.number && end_of(pair.path) == other.port && pair.path.gid_type == other.path.gid_type &&
         pair.mtu == other.mtu;
}

bool receives(const QueuePair& pair) {
  return pair.state == IBV_QPS_RTR || pair.state == IBV_QPS_RTS;
}

}  // namespace

bool is_active(const ibv_device* device, int port) {
  const std::string name = std::string(device->name) + ":" + std::to_string(port);
  const auto& inactive = settings().inactive;
  return std::find(inactive.begin(), inactive.end(), name) == inactive.end();
}

QueuePair* find_peer(const Pair& pair) {
  const QueuePair& self = entry_of(pair);
  if (!is_active(pair.context->device, pair.attributes.port_num) || !link_is_up(self.port)) return nullptr;
  QueuePair& peer = subnet().queue_pairs[self.peer % most_queue_pairs];
  if (peer.process == nobody || peer.number != self.peer || !receives(peer) || !expects(self, peer)) return nullptr;
  if (!expects(peer, self) || peer.receive_psn != self.send_psn || !link_is_up(peer.port)) return nullptr;
  return alive(peer.process) ? &peer : nullptr;
}

}  // namespace fabric
