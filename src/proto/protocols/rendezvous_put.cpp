// SPDX-License-Identifier: BSD-3-Clause
// Rendezvous by RDMA put: the receiver sends `clear_to_put` with the address of its memory and a key. The sender's
// adapter writes the data there; then the sender sends `placed`. A send buffer with few long blocks is written block by
// block. A sender that cannot write reports that it has written nothing, and the receiver requests the data in pieces.
#include <sys/uio.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "proto/checks.hpp"
#include "proto/engine.hpp"
#include "proto/protocols/block_list.hpp"
#include "proto/protocols/rendezvous.hpp"

namespace bowline::proto {
namespace {

class RendezvousPut final : public RendezvousProtocol {
 public:
  using RendezvousProtocol::RendezvousProtocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    const std::size_t from = std::min(limits.put_from, limits.put_blocks_from);
    return from == transport::never ? LengthRange{} : LengthRange{from, transport::never};
  }

  bool begin(Engine& engine, ReceiveRequest& receive, const Offered& message) const override {
    if (receive.target == nullptr) return false;
    const transport::Limits& limits = message.peer.endpoint->limits();
    const bool in_blocks = message.offer.address == 0;
    if (in_blocks && (message.header.flags[0] & blocks_flag) == 0) return false;
    if (receive.expected < (in_blocks ? limits.put_blocks_from : limits.put_from)) return false;
    const std::span<const std::byte> target(receive.target, receive.expected);
    auto key = std::make_unique<std::vector<std::byte>>();
    try {
      *key = message.peer.endpoint->register_memory(target);
    } catch (const Error&) {
      return false;  // another protocol copies
    }
    receive.key = std::move(key);
    engine.rendezvous().expect(receive, message.peer);
    const ClearToPut clear{.send_id = message.offer.send_id,
                           .receive_id = receive.number,
                           .bytes = receive.expected,
                           .address = reinterpret_cast<std::uint64_t>(receive.target)};
    engine.outbox().send_control(message.peer, control_header(message.header, Kind::clear_to_put), as_prefix(clear),
                                 *receive.key);
    return true;
  }
};
constinit const RendezvousPut put_protocol{"rendezvous_put",
                                           "the sender's adapter writes the receiver's memory (RDMA)"};

/// Ends when all accesses have ended; deletes itself then.
class Putting final : public transport::Operation {
 public:
  Putting(Engine& engine, SendRequest& send) noexcept : engine_(engine), send_(send) {}

  /// One more access will notify this object.
  void expect_one_more() noexcept { ++under_way_; }
  /// The data will not be written completely.
  void fail() noexcept { failed_ = true; }
  void ended(const Error* failure) noexcept override {
    failed_ |= failure != nullptr;
    if (--under_way_ > 0) return;
    engine_.rendezvous().put_ended(send_, !failed_);
    delete this;
  }

 private:
  Engine& engine_;
  SendRequest& send_;
  unsigned under_way_ = 1;  ///< pending accesses, plus one as long as more may begin
  bool failed_ = false;
};

/// Begins to write all blocks of the data; stops at the first one that cannot be written.
void put_blocks(const SendRequest& send, transport::Remote target, Putting& putting) noexcept {
  const BlockList blocks =
      send.data != nullptr ? BlockList(send.data, send.bytes) : BlockList(send.buffer, send.bytes, 0);
  try {
    for (const iovec& block : blocks.list()) {
      const std::span source(static_cast<const std::byte*>(block.iov_base), block.iov_len);
      const transport::Access access = send.peer.endpoint->put(source, target, putting);
      if (access == transport::Access::refused) return putting.fail();
      if (access == transport::Access::begun) putting.expect_one_more();
      target.address += block.iov_len;
    }
  } catch (const std::exception&) {
    putting.fail();
  }
}

}  // namespace

constinit const RendezvousProtocol& rendezvous_put = put_protocol;

// ---- the sender

/// Whether put() can write the data, which have holes, from where they lie.
bool Rendezvous::can_put_blocks(const SendRequest& send) noexcept {
  const std::size_t worth = send.peer.endpoint->limits().put_blocks_from;
  return send.data == nullptr && send.bytes > 0 && send.bytes >= worth &&
         !BlockList(send.buffer, send.bytes, worth).list().empty();
}

void Rendezvous::clear_to_put_arrived(const Arrival& message) {
  const auto clear = message.read<ClearToPut>();
  SendRequest& send = named_send(engine_, message, clear.send_id);
  check_asked(message, send, clear.bytes);
  if (send.data == nullptr && !can_put_blocks(send)) throw message.wrong("it asks for a message that has holes");
  List<SendRequest>::remove(send);
  send.stage = SendRequest::Stage::putting;
  send.receive_id = clear.receive_id;
  send.bytes = clear.bytes;
  auto* const putting = new (std::nothrow) Putting(engine_, send);
  if (putting == nullptr) return put_ended(send, false);
  put_blocks(send, {clear.address, message.body}, *putting);
  putting->ended(nullptr);
}

void Rendezvous::put_ended(SendRequest& send, bool written) noexcept {
  const Placed placed{.receive_id = send.receive_id, .send_id = send.id, .written = written ? send.bytes : 0};
  tell(send.peer, Kind::placed, send.header, as_prefix(placed));
  if (send.peer.broken != nullptr) {
    send.fail(send.peer.broken);
  } else if (!written) {
    send.stage = SendRequest::Stage::announced;  // the receiver requests it by another protocol
    return send.peer.unanswered.push_back(send);
  }
  engine_.complete(send);
}

}  // namespace bowline::proto
