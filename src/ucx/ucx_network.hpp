// SPDX-License-Identifier: BSD-3-Clause
// UCX as a network of the process. A build without UCX has it, too, and says so when it is asked for
// (network_absent.cpp).
#pragma once

#include <memory>

#include "transport/network.hpp"

namespace bowline::ucx {

/// Loads and initializes UCX for so many lanes. Throws Error (MPI_ERR_OTHER) that says what is missing.
std::unique_ptr<transport::Network> make_network(unsigned lanes, transport::Reach reach);

transport::Limits default_limits() noexcept;

inline constexpr transport::NetworkKind network_kind{"ucx", make_network, default_limits};

}  // namespace bowline::ucx
