// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by cross-memory attach from both sides: the receiver asks the sender to write the back part of the message
// into its memory (`clear_to_share`), and meanwhile reads the front part itself. One copy, of which each core does
// half. The sender answers `placed`, then the receiver sends `finished`. If one side is refused, the receiver requests
// the message in pieces; the sender holds it until then.
#include <memory>
#include <vector>

#include "proto/engine.hpp"
#include "proto/timers.hpp"

namespace bowline::proto {
namespace {

class RendezvousSingleCopyByBoth final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return limits.measured ? rendezvous_single_copy.serves(limits) : LengthRange{};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    if (receive.target == nullptr || message.offer.address == 0) return false;  // one side's data have holes
    const std::size_t front = front_part(receive.expected);
    receive.key = std::make_unique<std::vector<std::byte>>();  // an empty key: the sender may write without one
    engine.rendezvous().expect(receive, message.peer);
    const ClearToPut clear{.send_id = message.offer.send_id,
                           .receive_id = receive.number,
                           .bytes = receive.expected,
                           .address = reinterpret_cast<std::uint64_t>(receive.target)};
    engine.outbox().send_control(message.peer, control_header(message.header, Kind::clear_to_share), as_prefix(clear));
    if (message.peer.broken != nullptr) return true;  // the receive has failed
    NoOperation nothing;
    try {
      const SwitchedTimer::Section timed(copying);
      const transport::Remote source{message.offer.address, {}};
      const auto access = message.peer.endpoint->get(source, {receive.target, front}, nothing);
      if (access == transport::Access::done) receive.received = front;
    } catch (const Error& error) {
      receive.fail(error);  // the send buffer is not readable: an error of the sender's program
      receive.received = front;
    }
    return true;
  }
};
constinit const RendezvousSingleCopyByBoth both_protocol{
    "rendezvous_single_copy_by_both", "the receiver reads the front, the sender writes the back (one copy)"};

}  // namespace

constinit const RendezvousProtocol& rendezvous_single_copy_by_both = both_protocol;

}  // namespace bowline::proto
