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
/// connection manager makes belong to it, and so must all that they use. Throws Error.
ibv_context* managed_context(const std::string& adapter);

/// The IP address of the network interface of this port, without a port number: that of its GID on RoCE; else IPv4 if
/// it has one. Throws Error if there is none, or no connection manager.
SocketAddress find_interface(const Port& port);

}  // namespace bowline::verbs
