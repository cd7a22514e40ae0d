// SPDX-License-Identifier: BSD-3-Clause
// Protocols: the ways in which a message gets from buffer to buffer. Each is one object in a file of its own; the table
// of all of them decides, per endpoint, which serves which length.
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
  /// The lengths that it serves best over an endpoint with these abilities.
  virtual LengthRange serves(const transport::Limits& limits) const noexcept = 0;

 protected:
  constexpr ~Protocol() = default;

 private:
  std::string_view name_;
  std::string_view summary_;
};

/// A protocol for announced messages, seen from the receiver: it decides how the data come.
class RendezvousProtocol : public Protocol {
 public:
  using Protocol::Protocol;

  /// An announced message that has met its receive.
  struct Offered {
    Peer& peer;
    transport::Header header;
    ReadyToSend offer;
    std::span<const std::byte> key;  ///< of the sender's memory; valid during begin() only
  };

  /// Begins to bring `receive.expected` (> 0) bytes to `receive.target`. False if the endpoint refuses, or the protocol
  /// cannot deal with holes (no target, or no address in the offer): then nothing
  /// was done and another protocol must serve.
  virtual bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const = 0;

 protected:
  constexpr ~RendezvousProtocol() = default;
};

/// Longest message that is sent before its receiver asks for it, in bytes: the tunable of that name.
std::size_t eager_limit() noexcept;

/// All protocols; rendezvous ones in order of preference where several serve a length.
std::span<const Protocol* const> protocols() noexcept;

// The members of the table, each defined in the file of its name.
extern const Protocol& eager_inline;
extern const Protocol& eager_copy;
extern const RendezvousProtocol& rendezvous_get;
extern const RendezvousProtocol& rendezvous_put;
extern const RendezvousProtocol& rendezvous_attach;
extern const RendezvousProtocol& rendezvous_pipeline;

}  // namespace bowline::proto
