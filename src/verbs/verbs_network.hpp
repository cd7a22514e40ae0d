// SPDX-License-Identifier: BSD-3-Clause
// RDMA adapters, used through libibverbs, as a network of the process. In builds without libibverbs's header
// make_network() throws (verbs_network_absent.cpp).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/network.hpp"

namespace bowline::verbs {

/// Opens the chosen adapters. Throws Error (MPI_ERR_OTHER) that names what is missing.
std::unique_ptr<transport::Network> make_network(unsigned lanes, transport::Reach reach);

/// See NetworkKind::default_limits.
transport::Limits default_limits() noexcept;

/// Whether this node seems to have an adapter that this build can use. Loads nothing.
bool may_have_adapters() noexcept;

/// The result of the search for adapters, one sentence per line, for users: each adapter and port, whether it was
/// chosen, and why.
std::vector<std::string> describe_ports();

inline constexpr transport::NetworkKind network_kind{"verbs", make_network, default_limits};

}  // namespace bowline::verbs
