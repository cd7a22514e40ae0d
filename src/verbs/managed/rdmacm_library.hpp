// SPDX-License-Identifier: BSD-3-Clause
// librdmacm's functions, and owners of its objects. The library is loaded when the first port needs the connection
// manager.
#pragma once

#include <rdma/rdma_cma.h>

#include <memory>

#include "base/shared_library.hpp"

namespace bowline::verbs {

inline constexpr SharedLibrary::Facts librdmacm{
    .file = "librdmacm.so.1",
    .purpose = "its queue pairs are connected through librdmacm",  // the port's, which the sentence begins with
    .remedy =
        "install librdmacm of rdma-core 20 or newer on every node (Debian: librdmacm1), or set "
        "BOWLINE_NETWORK=ucx"};

/// The members are named as in rdma_cma.h, without the prefix rdma_.
struct RdmacmLibrary {
  SharedLibrary file{librdmacm};
  decltype(&rdma_get_devices) get_devices = file.function("rdma_get_devices");
  decltype(&rdma_free_devices) free_devices = file.function("rdma_free_devices");
  decltype(&rdma_create_event_channel) create_event_channel = file.function("rdma_create_event_channel");
  decltype(&rdma_destroy_event_channel) destroy_event_channel = file.function("rdma_destroy_event_channel");
  decltype(&rdma_get_cm_event) get_cm_event = file.function("rdma_get_cm_event");
  decltype(&rdma_ack_cm_event) ack_cm_event = file.function("rdma_ack_cm_event");
  decltype(&rdma_event_str) event_str = file.function("rdma_event_str");
  decltype(&rdma_create_id) create_id = file.function("rdma_create_id");
  decltype(&rdma_destroy_id) destroy_id = file.function("rdma_destroy_id");
  decltype(&rdma_set_option) set_option = file.function("rdma_set_option");
  decltype(&rdma_bind_addr) bind_addr = file.function("rdma_bind_addr");
  decltype(&rdma_listen) listen = file.function("rdma_listen");
  decltype(&rdma_get_src_port) get_src_port = file.function("rdma_get_src_port");
  decltype(&rdma_resolve_addr) resolve_addr = file.function("rdma_resolve_addr");
  decltype(&rdma_resolve_route) resolve_route = file.function("rdma_resolve_route");
  decltype(&rdma_create_qp) create_qp = file.function("rdma_create_qp");
  decltype(&rdma_destroy_qp) destroy_qp = file.function("rdma_destroy_qp");
  decltype(&rdma_connect) connect = file.function("rdma_connect");
  decltype(&rdma_accept) accept = file.function("rdma_accept");
  decltype(&rdma_reject) reject = file.function("rdma_reject");
};

/// Loads librdmacm in the first call; it stays loaded until the process ends. Throws Error (MPI_ERR_OTHER) that names
/// what is missing. Any thread may call it.
const RdmacmLibrary& rdmacm();

struct ChannelDestroyer {
  void operator()(rdma_event_channel* channel) const noexcept { rdmacm().destroy_event_channel(channel); }
};
using EventChannel = std::unique_ptr<rdma_event_channel, ChannelDestroyer>;

/// Destroys an identifier with its queue pair, if it has one. The peer hears of the end.
struct IdDestroyer {
  void operator()(rdma_cm_id* id) const noexcept {
    if (id->qp != nullptr) rdmacm().destroy_qp(id);
    rdmacm().destroy_id(id);
  }
};
using ManagerId = std::unique_ptr<rdma_cm_id, IdDestroyer>;

/// Throws Error.
EventChannel make_event_channel();
/// Makes an identifier whose events carry `context`. Its packets, and the packets of connections that it accepts, have
/// the traffic class that the user has set. Throws Error.
ManagerId make_id(const EventChannel& channel, void* context);

}  // namespace bowline::verbs
