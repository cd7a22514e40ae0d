// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by RDMA get: the announcement carries a key to the sender's memory. The receiver's network adapter reads
// it while both processes do other work; then the receiver sends `finished`.
#include <memory>

#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

class Getting final : public transport::Operation {
 public:
  Getting(Engine& engine, ReceiveRequest& receive, const RendezvousProtocol::Offered& message) noexcept
      : engine_(engine),
        receive_(receive),
        peer_(message.peer),
        header_(message.header),
        send_id_(message.offer.send_id) {}

  void ended(const Error* failure) noexcept override {
    if (failure != nullptr) Engine::fail(receive_, *failure);
    engine_.fetched(receive_, peer_, header_, send_id_);
    delete this;
  }

 private:
  Engine& engine_;
  ReceiveRequest& receive_;
  Peer& peer_;
  transport::Header header_;
  std::uint64_t send_id_;
};

class RendezvousGet final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return limits.get_from == transport::never ? LengthRange{} : LengthRange{limits.get_from, transport::never};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    if (receive.target == nullptr) return false;  // the receive buffer has holes
    if (message.key.empty()) return false;        // the sender could not register it, or chose not to
    auto getting = std::make_unique<Getting>(engine, receive, message);
    const transport::Remote source{message.offer.address, message.key};
    try {
      switch (message.peer.endpoint->get(source, {receive.target, receive.expected}, *getting)) {
        case transport::Access::refused:
          return false;
        case transport::Access::begun:
          getting.release();  // ended() deletes it
          return true;
        case transport::Access::done:
          break;
      }
    } catch (const Error& error) {
      getting.release()->ended(&error);  // the sender must be notified, too
      return true;
    }
    getting.release()->ended(nullptr);
    return true;
  }
};
constinit const RendezvousGet get_protocol{"rendezvous_get", "the receiver's adapter reads the sender's memory (RDMA)"};

}  // namespace

constinit const RendezvousProtocol& rendezvous_get = get_protocol;

}  // namespace bowline::proto
