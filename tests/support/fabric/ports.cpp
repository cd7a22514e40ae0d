// SPDX-License-Identifier: BSD-3-Clause
// Addresses of ports, and what queries say of them. On Ethernet each port has the table of a usual adapter: its
// link-local address and its IPv4 address, each for RoCE version 1 and 2.
#include <cerrno>
#include <cstring>

#include "support/fabric/adapter.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/links.hpp"
#include "support/fabric/routes.hpp"

namespace fabric {
namespace {

constexpr int devices_of_a_host = 4;
constexpr std::uint16_t default_partition = 0xffff;

bool has_port(const ibv_context* context, unsigned port) {
  return context != nullptr && port >= 1 && static_cast<int>(port) <= settings().ports;
}

}  // namespace

int fabric_port(int device, int port) {
  return (settings().host * devices_of_a_host + device) * physical_ports + port;
}

int gids() {
  return settings().ethernet ? 4 : 1;
}

unsigned gid_type_of(int index) {
  if (!settings().ethernet) return IBV_GID_TYPE_IB;
  return index % 2 == 0 ? IBV_GID_TYPE_ROCE_V1 : IBV_GID_TYPE_ROCE_V2;
}

ibv_gid gid_of(int port, int index) {
  ibv_gid gid{};
  if (index < 2) {  // fe80::2:0:0:port
    gid.raw[0] = 0xfe;
    gid.raw[1] = 0x80;
    gid.raw[9] = 2;
  } else {  // ::ffff:10.77.0.port
    gid.raw[10] = gid.raw[11] = 0xff;
    gid.raw[12] = 10;
    gid.raw[13] = 77;
  }
  gid.raw[15] = static_cast<std::uint8_t>(port);
  return gid;
}

int port_with(const ibv_gid& gid) {
  const int port = gid.raw[15];
  for (int index = 0; index != gids(); ++index) {
    const ibv_gid known = gid_of(port, index);
    if (port != 0 && std::memcmp(&known, &gid, sizeof gid) == 0) return port;
  }
  return none;
}

}  // namespace fabric

using namespace fabric;

extern "C" {

int ibv_query_port(ibv_context* context, std::uint8_t port, _compat_ibv_port_attr* answer) {
  if (!has_port(context, port)) return EINVAL;
  const int number = fabric_port(context_of(context).device_number, port);
  const bool active = is_active(context->device, port) && link_is_up(number);
  auto& attributes = *reinterpret_cast<ibv_port_attr*>(answer);
  attributes.state = active ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
  attributes.max_mtu = IBV_MTU_4096;
  attributes.active_mtu = settings().ethernet ? IBV_MTU_1024 : IBV_MTU_4096;
  attributes.gid_tbl_len = gids();
  attributes.max_msg_sz = longest_message;
  attributes.pkey_tbl_len = 1;
  attributes.lid = settings().ethernet ? 0 : static_cast<std::uint16_t>(number);
  attributes.sm_lid = settings().ethernet ? 0 : 1;
  attributes.max_vl_num = 1;
  attributes.active_width = 2;   // 4 lanes
  attributes.active_speed = 32;  // 25 Gbit/s each
  attributes.phys_state = active ? 5 : 3;
  attributes.link_layer = settings().ethernet ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND;
  return 0;
}

int ibv_query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* gid) {
  if (!has_port(context, port) || index < 0 || index >= gids()) {
    errno = EINVAL;
    return -1;
  }
  *gid = gid_of(fabric_port(context_of(context).device_number, port), index);
  return 0;
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry,
                      std::uint32_t flags, std::size_t size) {
  if (!has_port(context, port) || index >= static_cast<std::uint32_t>(gids()) || flags != 0 ||
      size != sizeof(ibv_gid_entry)) {
    return EINVAL;
  }
  *entry = {};
  entry->gid = gid_of(fabric_port(context_of(context).device_number, static_cast<int>(port)), static_cast<int>(index));
  entry->gid_index = index;
  entry->port_num = port;
  entry->gid_type = gid_type_of(static_cast<int>(index));
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context* context, ibv_gid_entry* entries, std::size_t room, std::uint32_t flags,
                             std::size_t size) {
  std::size_t found = 0;
  for (int port = 1; port <= settings().ports; ++port) {
    for (int index = 0; index != gids() && found != room; ++index, ++found) {
      const int error = _ibv_query_gid_ex(context, static_cast<std::uint32_t>(port), static_cast<std::uint32_t>(index),
                                          &entries[found], flags, size);
      if (error != 0) return -error;
    }
  }
  return static_cast<ssize_t>(found);
}

int ibv_query_pkey(ibv_context* context, std::uint8_t port, int index, std::uint16_t* key) {
  if (!has_port(context, port) || index != 0) {
    errno = EINVAL;
    return -1;
  }
  *key = default_partition;
  return 0;
}

int ibv_get_pkey_index(ibv_context* context, std::uint8_t port, std::uint16_t key) {
  return has_port(context, port) && key == default_partition ? 0 : -1;
}

}  // extern "C"
