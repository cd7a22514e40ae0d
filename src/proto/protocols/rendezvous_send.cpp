// SPDX-License-Identifier: BSD-3-Clause
// The sender of a long message: announces it, and sends what the receiver asks for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "base/counter.hpp"
#include "base/profile/message_sizes.hpp"
#include "dtype/cursor.hpp"
#include "proto/engine.hpp"
#include "proto/protocols/rendezvous.hpp"
#include "proto/sending/iov_list.hpp"
#include "proto/timers.hpp"

namespace bowline::proto {
namespace {

// Length of pieces in bytes, unless the receiver asks for longer ones. The pieces are short enough that both sides copy
// at the same time and the data stay in the caches.
constexpr std::size_t short_piece = 16 << 10;

Counter listed_pieces(Category::messages, "listed_pieces",
                      "pieces of long messages with holes sent without being packed");
Counter packed_pieces(Category::messages, "packed_pieces",
                      "pieces of long messages with holes packed before they were sent");

}  // namespace

std::span<const MessageKind> Rendezvous::message_kinds() noexcept {
  static constexpr std::array kinds{
      MessageKind{Kind::ready_to_send,
                  {"ready_to_send", sizeof(ReadyToSend), any_length, true},
                  &call<Rendezvous, &Rendezvous::offer_arrived>},
      MessageKind{
          Kind::finished, {"finished", sizeof(SendId), 0, false}, &call<Rendezvous, &Rendezvous::finished_arrived>},
      MessageKind{Kind::clear_to_send,
                  {"clear_to_send", sizeof(ClearToSend), 0, false},
                  &call<Rendezvous, &Rendezvous::clear_to_send_arrived>},
      MessageKind{Kind::clear_to_put,
                  {"clear_to_put", sizeof(ClearToPut), any_length, false},
                  &call<Rendezvous, &Rendezvous::clear_to_put_arrived>},
      MessageKind{Kind::clear_to_share,
                  {"clear_to_share", sizeof(ClearToPut), 0, false},
                  &call<Rendezvous, &Rendezvous::clear_to_share_arrived>},
      MessageKind{Kind::data, {"data", sizeof(Data), any_length, false}, &call<Rendezvous, &Rendezvous::data_arrived>},
      MessageKind{Kind::placed, {"placed", sizeof(Placed), 0, false}, &call<Rendezvous, &Rendezvous::placed_arrived>},
  };
  return kinds;
}

bool Rendezvous::announce(SendRequest& send) {
  if (!engine_.requests().name(send)) throw std::bad_alloc();
  const ReadyToSend offer{
      .address = reinterpret_cast<std::uint64_t>(send.data), .bytes = send.bytes, .send_id = send.id};
  transport::Endpoint& endpoint = *send.peer.endpoint;
  if (send.key == nullptr && send.data != nullptr && send.bytes > 0 && send.bytes >= endpoint.limits().get_from)
    register_memory(send);
  const std::span<const std::byte> key = send.key == nullptr ? std::span<const std::byte>() : *send.key;
  auto header = control_header(send.header, Kind::ready_to_send);
  if (!send.peer.unanswered.empty()) header.flags[0] |= in_row_flag;
  if (can_put_blocks(send)) header.flags[0] |= blocks_flag;
  if (endpoint.send_or_keep(header, as_prefix(offer), key, nullptr) == transport::Post::retry) return false;
  if (protocol_chosen.heard()) tell_announced(send.peer, send.header, send.bytes);
  if (MessageSizes* const sizes = MessageSizes::announced()) sizes->add(send.bytes);
  Outbox::await_answer(send, SendRequest::Stage::announced);
  return true;
}

/// Registers the data. Done once per message, even if the announcement waits for room repeatedly.
void Rendezvous::register_memory(SendRequest& send) {
  send.key = std::make_unique<std::vector<std::byte>>();
  try {
    *send.key = send.peer.endpoint->register_memory({send.data, send.bytes});
  } catch (const Error&) {
    // Without a key the receiver chooses another protocol.
  }
}

void Rendezvous::clear_to_send_arrived(const Arrival& message) {
  const auto clear = message.read<ClearToSend>();
  SendRequest& send = named_send(engine_, message, clear.send_id);
  check_asked(message, send, clear.bytes);
  if (clear.skip >= clear.bytes)
    throw message.wrong(fmt::format("it asks for {} bytes without the first {}", clear.bytes, clear.skip));
  send.in_part = (clear.piece & part_flag) != 0;
  if (send.in_part && (send.data == nullptr || !send.peer.endpoint->limits().measured))
    throw message.wrong("it asks for a part of a message that is sent as a whole");
  List<SendRequest>::remove(send);
  if (!send.in_part) engine_.requests().unname(send);  // the receiver says nothing more about the send
  send.header.kind = static_cast<std::uint8_t>(Kind::data);
  send.stage = SendRequest::Stage::streaming;
  send.receive_id = clear.receive_id;
  send.bytes = clear.bytes;
  send.piece = clear.piece & ~part_flag;
  send.sent = clear.skip;
  engine_.outbox().enqueue(send);
  // The next round of progress sends the pieces: a handler must not send for long.
}

/// The next bytes to be sent. A piece with holes is packed once, even if it waits for room repeatedly.
std::span<const std::byte> Rendezvous::next_piece(SendRequest& send, std::size_t length) {
  if (send.data != nullptr) return {send.data + send.sent, length};
  // Later pieces are no longer than the first one.
  if (send.packed == nullptr) send.packed = std::make_unique_for_overwrite<std::byte[]>(length);
  if (send.packed_up_to <= send.sent) {
    dtype::Cursor cursor(*send.buffer.type, send.buffer.count, send.buffer.base);
    cursor.seek(send.sent);
    cursor.pack({send.packed.get(), length});
    send.packed_up_to = send.sent + length;
    packed_pieces.add();
  }
  return {send.packed.get(), length};
}

/// Sends the next piece. Sends it without a copy if the transport can do so and takes at least as much as a copied
/// piece.
transport::Post Rendezvous::send_piece(SendRequest& send) {
  const SwitchedTimer::Section timed(copying);
  transport::Endpoint& endpoint = *send.peer.endpoint;
  const transport::Limits& limits = endpoint.limits();
  const Data place{.receive_id = send.receive_id, .offset = send.offset + send.sent};
  const std::size_t left = send.bytes - send.sent;
  if (send.piece > short_piece && left > short_piece && limits.long_body > 0 && send.data != nullptr) {
    const std::size_t length = std::min({std::size_t{send.piece}, limits.long_body, left});
    const std::size_t sent = endpoint.send_long(send.header, as_prefix(place), {send.data + send.sent, length});
    send.sent += sent;
    return sent == 0 ? transport::Post::retry : transport::Post::done;
  }
  const std::size_t copied = std::min({short_piece, limits.max_body - sizeof(Data), left});
  const IovList iov(send, limits, std::min(copied, limits.max_posted));
  if (iov.none()) {
    InFlight* const leaving = limits.keeps ? &engine_.outbox().in_flight(send) : nullptr;
    const transport::Post sent =
        endpoint.send_or_keep(send.header, as_prefix(place), next_piece(send, copied), leaving);
    if (sent != transport::Post::retry) send.sent += copied;
    if (sent == transport::Post::begun) leaving->add();
    return sent;
  }
  InFlight& leaving = engine_.outbox().in_flight(send);
  const transport::Post sent = endpoint.post(send.header, as_prefix(place), iov.list(), leaving);
  if (sent == transport::Post::retry) return sent;
  if (sent == transport::Post::begun) leaving.add();
  if (send.data == nullptr) listed_pieces.add();
  send.sent += iov.bytes();
  return sent;
}

bool Rendezvous::stream(SendRequest& send) {
  Outbox& outbox = engine_.outbox();
  while (send.sent < send.bytes) {
    if (outbox.must_look() || send_piece(send) == transport::Post::retry) return false;
    outbox.count_piece();
  }
  if (send.in_part) {
    send.bytes = send.buffer.bytes();
    Outbox::await_answer(send, SendRequest::Stage::announced);
    return true;
  }
  List<SendRequest>::remove(send);
  outbox.end(send);
  return true;
}

/// Writes the back part of the message, which then waits for `finished`, or for another request if nothing was written.
void Rendezvous::clear_to_share_arrived(const Arrival& message) {
  const auto clear = message.read<ClearToPut>();
  SendRequest& send = named_send(engine_, message, clear.send_id);
  check_asked(message, send, clear.bytes);
  if (send.data == nullptr) throw message.wrong("it asks for a message that has holes");
  if (send.peer.endpoint->limits().single_copy_from == transport::never)
    throw message.wrong("it gives no key for its memory");
  const std::size_t front = front_part(clear.bytes);
  const std::span<const std::byte> back(send.data + front, clear.bytes - front);
  bool written = false;
  try {
    NoOperation nothing;
    const auto access = send.peer.endpoint->put(back, {clear.address + front, {}}, nothing);
    written = access == transport::Access::done;
  } catch (const Error&) {
    // The receiver requests the message in pieces.
  }
  const Placed placed{.receive_id = clear.receive_id, .send_id = send.id, .written = written ? back.size() : 0};
  tell(send.peer, Kind::placed, message.header, as_prefix(placed));
}

void Rendezvous::finished_arrived(const Arrival& message) {
  SendRequest& send = named_send(engine_, message, message.read<SendId>().send_id);
  if (!send.unanswered()) throw message.wrong("its data are being brought");
  engine_.complete(send);
}

}  // namespace bowline::proto
