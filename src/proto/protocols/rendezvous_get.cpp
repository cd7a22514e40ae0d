// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by RDMA get: the announcement carries a key to the sender's memory. The receiver's network adapter reads
// it while both processes do other work; then the receiver sends `finished`. A receive buffer with few long blocks is
// read block by block.
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "proto/engine.hpp"
#include "proto/protocols/block_list.hpp"

namespace bowline::proto {
namespace {

/// Ends when all accesses have ended; deletes itself then.
class Getting final : public transport::Operation {
 public:
  Getting(Engine& engine, ReceiveRequest& receive, const RendezvousProtocol::Offered& message) noexcept
      : engine_(engine),
        receive_(receive),
        peer_(message.peer),
        header_(message.header),
        send_id_(message.offer.send_id) {}

  /// One more access will notify this object.
  void expect_one_more() noexcept { ++under_way_; }
  /// A block cannot be read: the message comes in pieces when no access stores into the receive buffer any more.
  void refuse() noexcept { refused_ = true; }
  void ended(const Error* failure) noexcept override {
    if (failure != nullptr && failure_ == nullptr) failure_ = *failure;
    if (--under_way_ > 0) return;
    if (failure_ != nullptr) receive_.fail(failure_);
    if (refused_ && failure_ == nullptr) {
      engine_.rendezvous().request_pieces(receive_, peer_, header_, send_id_);
    } else {
      engine_.rendezvous().fetched(receive_, peer_, header_, send_id_);
    }
    delete this;
  }

 private:
  Engine& engine_;
  ReceiveRequest& receive_;
  Peer& peer_;
  transport::Header header_;
  std::uint64_t send_id_;
  unsigned under_way_ = 1;  ///< pending accesses, plus one as long as more may begin
  bool refused_ = false;
  Failure failure_;
};

class RendezvousGet final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return limits.get_from == transport::never ? LengthRange{} : LengthRange{limits.get_from, transport::never};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    if (message.key.empty()) return false;  // the sender could not register its memory, or chose not to
    transport::Endpoint& endpoint = *message.peer.endpoint;
    const BlockList targets(receive.buffer, receive.expected, endpoint.limits().get_from);
    if (targets.list().empty()) return false;
    auto getting = std::make_unique<Getting>(engine, receive, message);
    transport::Remote source{message.offer.address, message.key};
    try {
      for (const iovec& block : targets.list()) {
        const std::span target(static_cast<std::byte*>(block.iov_base), block.iov_len);
        const transport::Access access = endpoint.get(source, target, *getting);
        if (access == transport::Access::refused) {
          if (&block == &targets.list().front()) return false;
          getting->refuse();
          break;
        }
        if (access == transport::Access::begun) getting->expect_one_more();
        source.address += block.iov_len;
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
