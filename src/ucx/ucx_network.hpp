// SPDX-License-Identifier: BSD-3-Clause
// UCX as a network of the process. In builds without UCX make_network() throws (ucx_network_absent.cpp).
#pragma once

#include <memory>

#include "transport/network.hpp"

namespace bowline::ucx {

/// Loads and initializes UCX for `lanes` lanes. Throws Error (MPI_ERR_OTHER) that names what is missing.
std::unique_ptr<transport::Network> make_network(unsigned lanes, transport::Reach reach);

/// See NetworkKind::default_limits.
transport::Limits default_limits() noexcept;

inline constexpr transport::NetworkKind network_kind{"ucx", make_network, default_limits};

}  // namespace bowline::ucx
