// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by cross-memory attach: the receiver copies out of the sender's memory, in one go and without a key, then
// says `finished`. One copy, and no buffer between.
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

/// A get that ends before it returns has nobody to tell.
class Nobody final : public transport::Operation {
  void ended(const Error*) noexcept override {}
};

class RendezvousAttach final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return limits.attach_from == transport::never ? LengthRange{} : LengthRange{limits.attach_from, transport::never};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    if (receive.target == nullptr || message.offer.address == 0) return false;  // there are holes on either side
    const transport::Remote source{message.offer.address, {}};
    Nobody nobody;
    try {
      const auto access = message.peer.endpoint->get(source, {receive.target, receive.expected}, nobody);
      if (access == transport::Access::refused) return false;
    } catch (const Error& error) {
      Engine::fail(receive, error);  // the sender's buffer is not readable: an error of the program there
    }
    engine.fetched(receive, message.peer, message.header, message.offer.send_id);
    return true;
  }
};
constinit const RendezvousAttach attach_protocol{"rendezvous_attach",
                                                 "the receiver reads the sender's memory (one copy)"};

}  // namespace

constinit const RendezvousProtocol& rendezvous_attach = attach_protocol;

}  // namespace bowline::proto
