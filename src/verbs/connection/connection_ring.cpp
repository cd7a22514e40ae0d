// SPDX-License-Identifier: BSD-3-Clause
// What a connection tells its peer of credits and rings.
#include <cstddef>
#include <cstring>
#include <utility>

#include "verbs/connection/connection.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {

void Connection::owe() noexcept {
  if (!std::exchange(owes_, true)) device_.note_owing(*this);
}

bool Connection::pay() noexcept {
  const bool credits_told = tell_credits();
  const bool ring_tended = incoming_ == nullptr || tend_ring();
  if (!credits_told || !ring_tended) return false;
  owes_ = false;
  return true;
}

bool Connection::tell_credits() noexcept {
  const bool needed = owes_message_ || device_.credits().must_tell(grant_);
  if (needed && !is_over() && !send_own(WireKind::credits)) return false;
  owes_message_ = false;
  return true;
}

// ---- rings

/// Makes the half with which this process sends, if there are to be rings and the adapter takes short messages inside a
/// request: only such a request carries them together with the word behind them.
void Connection::make_outgoing() noexcept {
  const std::size_t max_inline = device_.adapter().max_inline();
  if (device_.rings().is_off() || max_inline < write_bytes(sizeof(WireHeader))) return;
  if (!device_.adapter().completion_proves_arrival()) return;  // there, reads may overtake writes
  const RingTickets::Place place = device_.tickets().take();
  if (place.ticket == nullptr) return;
  outgoing_ = OutgoingRing(*place.ticket, max_inline);
  own_ticket_ = reinterpret_cast<std::uintptr_t>(place.ticket);
  own_ticket_key_ = place.remote_key;
}

void Connection::receive_in(IncomingRing& ring) noexcept {
  incoming_ = &ring;
  ring.give_to(*this, slots_taken_);
}

/// Brings the ring nearer to what its users want of it. False if there is no room now.
bool Connection::tend_ring() noexcept {
  if (state_ != State::ready) return true;  // the ring ends with the queue pair
  if (incoming_->must_tell() && !write_ticket()) return false;
  if (incoming_->must_ask() && !read_ticket()) return false;
  if (incoming_->is_withdrawn() && incoming_->is_closed()) drop_ring();
  return true;
}

/// Tells the peer how many slots it may write.
bool Connection::write_ticket() noexcept {
  SendWork* const work = make_own();
  if (work == nullptr) return false;
  const std::size_t first = incoming_->knows_place() ? offsetof(RingTicket, limit) : 0;
  const std::size_t bytes = offsetof(RingTicket, limit) + 1 - first;
  std::byte* const to = device_.works().make_data(*work, bytes);
  if (to == nullptr) {
    device_.works().give_back(*work);
    return false;
  }
  const RingTicket ticket = incoming_->tell();
  std::memcpy(to, reinterpret_cast<const std::byte*>(&ticket) + first, bytes);
  work->request.opcode = IBV_WR_RDMA_WRITE;
  work->request.wr.rdma = {their_ticket_ + first, their_ticket_key_};
  post(*work);
  return true;
}

/// Asks how many slots the peer has claimed.
bool Connection::read_ticket() noexcept {
  SendWork* const work = make_own();
  if (work == nullptr) return false;
  const RingTickets::Place& answer = incoming_->ask();
  work->run = {reinterpret_cast<std::uintptr_t>(&answer.ticket->posted), sizeof answer.ticket->posted,
               answer.local_key};
  work->operation = incoming_;
  work->request.opcode = IBV_WR_RDMA_READ;
  work->request.wr.rdma = {their_ticket_ + offsetof(RingTicket, posted), their_ticket_key_};
  post(*work);
  return true;
}

/// The peer cannot write into it any more.
void Connection::drop_ring() noexcept {
  if (incoming_ == nullptr) return;
  slots_taken_ = incoming_->taken();
  device_.rings().release(*std::exchange(incoming_, nullptr));
}

}  // namespace bowline::verbs
