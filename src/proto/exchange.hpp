// SPDX-License-Identifier: BSD-3-Clause
// Exchange: a send and a receive under one request (MPI-5.0, section 3.11).
#pragma once

#include <cstddef>
#include <memory>

#include "proto/engine.hpp"

namespace bowline::proto {

/// Where the send of an exchange goes to.
struct Outgoing {
  int to;  ///< world rank, or no_process
  transport::Header header;
  Buffer buffer;
};

/// What the receive of an exchange takes.
struct Incoming {
  Match match;  ///< source may be no_process
  Buffer buffer;
};

/// Sends and receives at the same time; the request is done when both are, and has the status of the receive.
/// `copy`: memory that `outgoing` lies in and that goes with the request, if any.
Request& iexchange(Engine& engine, const Outgoing& outgoing, const Incoming& incoming,
                   std::unique_ptr<std::byte[]> copy = nullptr);

}  // namespace bowline::proto
