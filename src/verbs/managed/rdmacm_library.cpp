// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/managed/rdmacm_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace bowline::verbs {
namespace {

template <class Function>
void find_in_rdmacm(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function != nullptr) return;
  throw Error(ErrorClass::other, fmt::format("{} has no function {}: install librdmacm of rdma-core 20 or newer on "
                                             "every node (Debian: librdmacm1)",
                                             rdmacm_file, name));
}

/// As load_library() does with libibverbs.
RdmacmLibrary load_rdmacm() {
  void* const handle = dlopen(rdmacm_file.data(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorClass::other, fmt::format("its queue pairs are connected through librdmacm, but {}; install it on "
                                               "every node (Debian: librdmacm1)",
                                               dlerror()));
  }
  RdmacmLibrary manager{};
  find_in_rdmacm(handle, "rdma_get_devices", manager.get_devices);
  find_in_rdmacm(handle, "rdma_free_devices", manager.free_devices);
  find_in_rdmacm(handle, "rdma_create_event_channel", manager.create_event_channel);
  find_in_rdmacm(handle, "rdma_destroy_event_channel", manager.destroy_event_channel);
  find_in_rdmacm(handle, "rdma_get_cm_event", manager.get_cm_event);
  find_in_rdmacm(handle, "rdma_ack_cm_event", manager.ack_cm_event);
  find_in_rdmacm(handle, "rdma_event_str", manager.event_str);
  find_in_rdmacm(handle, "rdma_create_id", manager.create_id);
  find_in_rdmacm(handle, "rdma_destroy_id", manager.destroy_id);
  find_in_rdmacm(handle, "rdma_bind_addr", manager.bind_addr);
  find_in_rdmacm(handle, "rdma_listen", manager.listen);
  find_in_rdmacm(handle, "rdma_get_src_port", manager.get_src_port);
  find_in_rdmacm(handle, "rdma_resolve_addr", manager.resolve_addr);
  find_in_rdmacm(handle, "rdma_resolve_route", manager.resolve_route);
  find_in_rdmacm(handle, "rdma_create_qp", manager.create_qp);
  find_in_rdmacm(handle, "rdma_destroy_qp", manager.destroy_qp);
  find_in_rdmacm(handle, "rdma_connect", manager.connect);
  find_in_rdmacm(handle, "rdma_accept", manager.accept);
  find_in_rdmacm(handle, "rdma_reject", manager.reject);
  return manager;
}

}  // namespace

const RdmacmLibrary& rdmacm() {
  static const RdmacmLibrary loaded = load_rdmacm();
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
