// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/managed/rdmacm_library.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace bowline::verbs {

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
  return ManagerId(id);
}

}  // namespace bowline::verbs
