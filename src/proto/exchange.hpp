// SPDX-License-Identifier: BSD-3-Clause
// Exchange: a send and a receive under one request (MPI-5.0, section 3.11).
#pragma once

#include <cstddef>
#include <memory>

#include "proto/engine.hpp"

namespace bowline::proto {

/// The send of an exchange.
struct Outgoing {
  int to;  ///< process index, or no_process
  transport::Header header;
  Buffer buffer;
};

/// The receive of an exchange.
struct Incoming {
  Match match;  ///< source may be no_process
  Buffer buffer;
};

/// Starts a send and a receive. The request completes when both have completed, and has the status of the receive.
/// `copy`: the memory of the outgoing data if the request is to own it.
Request& iexchange(Engine& engine, const Outgoing& outgoing, const Incoming& incoming,
                   std::unique_ptr<std::byte[]> copy = nullptr);

/// Cancels the receive of an exchange, as far as no message has matched it. The exchange completes when its send does.
void withdraw_receive(Engine& engine, Request& exchange);

}  // namespace bowline::proto
