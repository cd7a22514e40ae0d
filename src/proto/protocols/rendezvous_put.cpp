// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by RDMA put: the receiver sends `clear_to_put` with the address of its memory and a key. The sender's
// adapter writes the data there; then the sender sends `placed`. A sender that cannot write reports that it has written
// nothing, and the receiver requests the data in pieces.
#include <memory>
#include <vector>

#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

class RendezvousPut final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return limits.put_from == transport::never ? LengthRange{} : LengthRange{limits.put_from, transport::never};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    if (receive.target == nullptr || message.offer.address == 0) return false;  // one side's data have holes
    const std::span<const std::byte> target(receive.target, receive.expected);
    receive.key = std::make_unique<std::vector<std::byte>>();
    *receive.key = message.peer.endpoint->register_memory(target);
    engine.expect(receive, message.peer);
    const ClearToPut clear{.send_id = message.offer.send_id,
                           .receive_id = receive.number,
                           .bytes = receive.expected,
                           .address = reinterpret_cast<std::uint64_t>(receive.target)};
    engine.send_control(message.peer, control_header(message.header, Kind::clear_to_put), as_prefix(clear),
                        *receive.key);
    return true;
  }
};
constinit const RendezvousPut put_protocol{"rendezvous_put",
                                           "the sender's adapter writes the receiver's memory (RDMA)"};

}  // namespace

constinit const RendezvousProtocol& rendezvous_put = put_protocol;

}  // namespace bowline::proto
