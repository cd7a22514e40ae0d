// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by cross-memory attach: the receiver copies the data out of the sender's memory with a system call,
// without a key, and then sends `finished`. One copy, and no intermediate buffer.
#include "proto/engine.hpp"
#include "proto/timers.hpp"

namespace bowline::proto {
namespace {

class RendezvousSingleCopy final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return limits.single_copy_from == transport::never ? LengthRange{}
                                                       : LengthRange{limits.single_copy_from, transport::never};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    if (receive.target == nullptr || message.offer.address == 0) return false;  // one side's data have holes
    const std::size_t done = receive.received;
    const transport::Remote source{message.offer.address + done, {}};
    NoOperation nothing;
    try {
      const SwitchedTimer::Section timed(copying);
      const std::span<std::byte> rest(receive.target + done, receive.expected - done);
      const auto access = message.peer.endpoint->get(source, rest, nothing);
      if (access == transport::Access::refused) return false;
    } catch (const Error& error) {
      receive.fail(error);  // the send buffer is not readable: an error of the sender's program
    }
    engine.rendezvous().fetched(receive, message.peer, message.header, message.offer.send_id);
    return true;
  }
};
constinit const RendezvousSingleCopy single_copy_protocol{"rendezvous_single_copy",
                                                          "the receiver reads the sender's memory (one copy)"};

}  // namespace

constinit const RendezvousProtocol& rendezvous_single_copy = single_copy_protocol;

}  // namespace bowline::proto
