// SPDX-License-Identifier: BSD-3-Clause
// librdmacm's functions, and owners of its objects. The library is loaded when the first port needs the connection
// manager.
#pragma once

#include <rdma/rdma_cma.h>

#include <memory>
#include <string_view>

namespace bowline::verbs {

/// The members are named as in rdma_cma.h, without the prefix rdma_.
struct RdmacmLibrary {
  decltype(&rdma_get_devices) get_devices;
  decltype(&rdma_free_devices) free_devices;
  decltype(&rdma_create_event_channel) create_event_channel;
  decltype(&rdma_destroy_event_channel) destroy_event_channel;
  decltype(&rdma_get_cm_event) get_cm_event;
  decltype(&rdma_ack_cm_event) ack_cm_event;
  decltype(&rdma_event_str) event_str;
  decltype(&rdma_create_id) create_id;
  decltype(&rdma_destroy_id) destroy_id;
  decltype(&rdma_bind_addr) bind_addr;
  decltype(&rdma_listen) listen;
  decltype(&rdma_get_src_port) get_src_port;
  decltype(&rdma_resolve_addr) resolve_addr;
  decltype(&rdma_resolve_route) resolve_route;
  decltype(&rdma_create_qp) create_qp;
  decltype(&rdma_destroy_qp) destroy_qp;
  decltype(&rdma_connect) connect;
  decltype(&rdma_accept) accept;
  decltype(&rdma_reject) reject;
};

inline constexpr std::string_view rdmacm_file = "librdmacm.so.1";

/// Loads librdmacm in the first call; it stays loaded until the process ends. Throws Error (MPI_ERR_OTHER) that names
/// what is missing. Any thread may call it.
const RdmacmLibrary& rdmacm();

struct ChannelDestroyer {
  void operator()(rdma_event_channel* channel) const noexcept { rdmacm().destroy_event_channel(channel); }
};
using EventChannel = std::unique_ptr<rdma_event_channel, ChannelDestroyer>;

/// With its queue pair, if it has one. The peer hears of the end.
struct IdDestroyer {
  void operator()(rdma_cm_id* id) const noexcept {
    if (id->qp != nullptr) rdmacm().destroy_qp(id);
    rdmacm().destroy_id(id);
  }
};
using ManagerId = std::unique_ptr<rdma_cm_id, IdDestroyer>;

/// Throws Error.
EventChannel make_event_channel();
/// Its events carry `context`. Throws Error.
ManagerId make_id(const EventChannel& channel, void* context);

}  // namespace bowline::verbs
