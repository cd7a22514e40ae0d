// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by pipelined copy: the receiver sends `clear_to_send`, and the sender sends the `data` in pieces. One side
// copies a piece in while the other copies the previous piece out. Short pieces work over every transport. Some
// transports take long ones too, which need fewer messages, but more room in the caches.
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

class RendezvousPipeline final : public RendezvousProtocol {
 public:
  constexpr RendezvousPipeline(std::string_view name, std::string_view summary, bool long_pieces) noexcept
      : RendezvousProtocol(name, summary), long_pieces_(long_pieces) {}

  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return long_pieces_ && limits.long_body == 0 ? LengthRange{} : LengthRange{0, transport::never};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    transport::Endpoint& endpoint = *message.peer.endpoint;
    if (long_pieces_ && !endpoint.takes_long()) return false;
    engine.rendezvous().expect(receive, message.peer);
    const ClearToSend clear{.send_id = message.offer.send_id,
                            .receive_id = receive.number,
                            .bytes = receive.expected,
                            .piece = (long_pieces_ ? static_cast<std::uint32_t>(endpoint.limits().long_body) : 0) |
                                     (PathChooser::has_rest(message.peer, receive) ? part_flag : 0),
                            .skip = static_cast<std::uint32_t>(receive.received)};
    engine.outbox().send_control(message.peer, control_header(message.header, Kind::clear_to_send), as_prefix(clear));
    return true;
  }

 private:
  bool long_pieces_;
};
constinit const RendezvousPipeline pipeline_protocol{"rendezvous_pipeline",
                                                     "in short pieces through the transport's buffers", false};
constinit const RendezvousPipeline long_protocol{"rendezvous_long_pieces",
                                                 "in long pieces through copy buffers of the sender", true};

}  // namespace

constinit const RendezvousProtocol& rendezvous_pipeline = pipeline_protocol;
constinit const RendezvousProtocol& rendezvous_long_pieces = long_protocol;

}  // namespace bowline::proto
