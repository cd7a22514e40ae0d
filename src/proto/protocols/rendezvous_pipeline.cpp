// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by pipelined copy: the receiver sends `clear_to_send`, and the sender sends the `data` in pieces. One side
// copies a piece in while the other copies the previous piece out. Works over every transport.
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

class RendezvousPipeline final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits&) const noexcept override { return {0, transport::never}; }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    engine.expect(receive, message.peer);
    const ClearToSend clear{.send_id = message.offer.send_id, .receive_id = receive.number, .bytes = receive.expected};
    engine.send_control(message.peer, control_header(message.header, Kind::clear_to_send), as_prefix(clear));
    return true;
  }
};
constinit const RendezvousPipeline pipeline_protocol{"rendezvous_pipeline",
                                                     "in pieces through the transport's buffers"};

}  // namespace

constinit const RendezvousProtocol& rendezvous_pipeline = pipeline_protocol;

}  // namespace bowline::proto
