// SPDX-License-Identifier: BSD-3-Clause
// RDMA adapters as the connection manager knows them. In builds without rdma/rdma_cma.h these functions throw
// (managed_absent.cpp).
#pragma once

#include <string>

#include "verbs/socket_address.hpp"
#include "verbs/verbs_library.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

/// The adapter as the connection manager has opened it; librdmacm closes it when the process ends. Queue pairs that the
/// connection manager makes belong to this context, and so must all objects that they use. Throws Error.
ibv_context* managed_context(const std::string& adapter);

/// The IP address of the network interface of this port, without a port number: on RoCE the address of the port's GID;
/// else an IPv4 address if the interface has one. Throws Error if there is none, or no connection manager.
SocketAddress find_interface(const Port& port);

}  // namespace bowline::verbs
