// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/managed/rdmacm_library.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {

namespace {

/// Without a value of the user the administrator's is in force (default_roce_tos of rdma_cm in configfs).
void set_traffic_class(rdma_cm_id& id) {
  auto value = static_cast<std::uint8_t>(traffic_class.value());
  if (value == 0 || rdmacm().set_option(&id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &value, sizeof value) == 0) return;
  throw Error(ErrorClass::other,
              fmt::format("the connection manager of RDMA adapters does not take the traffic class {} "
                          "(BOWLINE_VERBS_TRAFFIC_CLASS): {}",
                          value, std::strerror(errno)));
}

}  // namespace

const RdmacmLibrary& rdmacm() {
  static const RdmacmLibrary loaded;
  return loaded;
}

EventChannel make_event_channel() {
  EventChannel channel(rdmacm().create_event_channel());
  if (channel != nullptr) return channel;
  throw Error(ErrorClass::other,
              fmt::format("the connection manager of RDMA adapters cannot be used: {}; is the kernel "
                          "module rdma_ucm loaded, and may this user open /dev/infiniband/rdma_cm?",
                          std::strerror(errno)));
}

ManagerId make_id(const EventChannel& channel, void* context) {
  rdma_cm_id* id = nullptr;
  if (rdmacm().create_id(channel.get(), &id, context, RDMA_PS_TCP) != 0) {
    throw Error(ErrorClass::other,
                fmt::format("the connection manager of RDMA adapters makes no identifier: {}", std::strerror(errno)));
  }
  ManagerId made(id);
  set_traffic_class(*made);
  return made;
}

}  // namespace bowline::verbs
