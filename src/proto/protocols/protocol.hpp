// SPDX-License-Identifier: BSD-3-Clause
// Protocols: the paths by which a message gets from the send buffer to the receive buffer. Each protocol is one object
// in a file of its own. A Plan chooses among all protocols, per endpoint and length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Engine;
class Peer;
class ReceiveRequest;

/// Lengths of messages in bytes; empty if `from` is greater than `up_to`.
struct LengthRange {
  std::size_t from = 1;
  std::size_t up_to = 0;
  constexpr bool empty() const noexcept { return from > up_to; }
};

class Protocol {
 public:
  constexpr Protocol(std::string_view name, std::string_view summary) noexcept : name_(name), summary_(summary) {}

  constexpr std::string_view name() const noexcept { return name_; }
  constexpr std::string_view summary() const noexcept { return summary_; }
  /// The lengths that the protocol serves best over an endpoint with these limits; empty if that endpoint does not
  /// support it.
  virtual LengthRange serves(const transport::Limits& limits) const noexcept = 0;

 protected:
  constexpr ~Protocol() = default;

 private:
  std::string_view name_;
  std::string_view summary_;
};

/// A protocol for announced messages. The receiver chooses it and starts the transfer.
class RendezvousProtocol : public Protocol {
 public:
  using Protocol::Protocol;

  /// An announced message that a receive has matched.
  struct Offered {
    Peer& peer;
    transport::Header header;
    ReadyToSend offer;
    std::span<const std::byte> key;  ///< of the sender's memory; valid during begin() only
  };

  /// Starts the transfer of `receive.expected` (> 0) bytes to `receive.target`, except for the first
  /// `receive.received`, which are there: at most 2^32 - 1, and none unless Limits::measured is set. Returns false if
  /// the endpoint refuses, or if the protocol cannot handle holes (no target, or no address in the offer). Nothing was
  /// done then, and another protocol must serve the message.
  virtual bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const = 0;

 protected:
  constexpr ~RendezvousProtocol() = default;
};

/// For accesses to a peer's memory without a key: they end before they return, so nothing is notified.
class NoOperation final : public transport::Operation {
  void ended(const Error*) noexcept override {}
};

/// Longest eager message, in bytes: the tunable eager_limit.
std::size_t eager_limit() noexcept;

/// All protocols; rendezvous protocols that serve the same length are in the order of preference that holds if they are
/// not measured (Limits::measured).
std::span<const Protocol* const> protocols() noexcept;

// The members of the table; each is defined in the source file that has its name.
extern const Protocol& eager_inline;
extern const Protocol& eager_copy;
extern const RendezvousProtocol& rendezvous_get;
extern const RendezvousProtocol& rendezvous_put;
extern const RendezvousProtocol& rendezvous_single_copy;
extern const RendezvousProtocol& rendezvous_single_copy_by_both;
extern const RendezvousProtocol& rendezvous_long_pieces;
extern const RendezvousProtocol& rendezvous_pipeline;

}  // namespace bowline::proto
