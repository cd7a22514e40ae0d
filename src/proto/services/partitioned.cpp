// SPDX-License-Identifier: BSD-3-Clause
#include "proto/services/partitioned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "dtype/cursor.hpp"
#include "proto/in_words.hpp"

namespace bowline::proto {

Buffer Partitions::operator[](int i) const noexcept {
  const auto elements = static_cast<std::ptrdiff_t>(each.count) * i;
  return {each.base + elements * each.type->extent(), each.count, each.type};
}

PartitionedRequest::PartitionedRequest(Engine& engine, transport::Header header, const Partitions& partitions)
    : SpecialRequest(header.context),
      engine_(engine),
      table_(PartitionedTable::of(engine)),
      header_(header),
      partitions_(partitions),
      type_(*partitions.each.type) {
  persistent = true;
  active = false;
  done = true;
}

void PartitionedRequest::check_partition(int partition) const {
  if (partition < 0 || partition >= partitions_.count) {
    throw Error(ErrorClass::arg, fmt::format("partition is {}, but the request has {} partitions: 0 to {}", partition,
                                             partitions_.count, partitions_.count - 1));
  }
}

// ---- the sender

PartitionedSend::PartitionedSend(Engine& engine, int to, transport::Header header, const Partitions& partitions)
    : PartitionedRequest(engine, header, partitions),
      peer_(to == no_process ? nullptr : &engine.peer(to)),
      ready_(static_cast<std::size_t>(partitions.count)) {}

PartitionedSend& PartitionedSend::make(Engine& engine, int to, transport::Header header, const Partitions& partitions) {
  auto& send = *new PartitionedSend(engine, to, header, partitions);
  send.id_ = send.table_.sends.add(send);
  if (send.id_ == no_id) {
    delete &send;
    throw std::bad_alloc();
  }
  send.offer();
  return send;
}

void PartitionedSend::offer() noexcept {
  offered_ = true;
  if (peer_ == nullptr) return;
  const PartitionedOffer mine{.send_id = id_, .bytes = partitions_.bytes()};
  table_.tell(*peer_, PartitionedKind::offer, header_, as_prefix(mine));
}

std::string PartitionedSend::in_words(Engine& lane) const {
  return "a partitioned send " + send_in_words(lane, header_, peer_ == nullptr ? no_process : peer_->rank);
}

void PartitionedSend::start(Engine&) {
  ready_.assign(ready_.size(), false);
  left_ = partitions_.count;
  receive_id_ = no_id;
  lost_ = false;
  if (const Failure why = engine_.interruptions().of(header_.context); why != nullptr) return fail_round(why);
  if (!offered_) offer();
  if (rounds_ahead_ > 0) {
    --rounds_ahead_;
    receive_id_ = next_receive_;
  }
  if (left_ == 0 && (peer_ == nullptr || receive_id_ != no_id)) finish();
}

void PartitionedSend::check_ready(int partition) const {
  check_partition(partition);
  if (!active || ready_[static_cast<std::size_t>(partition)]) {
    throw Error(ErrorClass::request,
                active ? fmt::format("partition {} is marked as ready already: mark it once in each round", partition)
                       : fmt::format("partition {} cannot be marked as ready: the request is not started", partition));
  }
}

void PartitionedSend::ready(int partition) noexcept {
  ready_[static_cast<std::size_t>(partition)] = true;
  if (peer_ == nullptr || lost_) {
    send_ended(nullptr);
  } else if (receive_id_ != no_id) {
    transfer(partition);
  }
}

void PartitionedSend::receiver_ready(std::uint64_t receive_id) noexcept {
  if (!starts_a_round()) {
    next_receive_ = receive_id;  // the receiver has started its next round before this side
    ++rounds_ahead_;
    return;
  }
  receive_id_ = receive_id;
  const int count = partitions_.count;  // the last transfer may delete this object, if the user has freed it
  for (int i = 0; i < count; ++i) {
    if (ready_[static_cast<std::size_t>(i)]) transfer(i);
  }
  if (count == 0) finish();
}

/// Sends one partition. If that is impossible the connection fails, because the receiver would wait for the partition
/// forever.
void PartitionedSend::transfer(int partition) noexcept {
  const Buffer part = partitions_[partition];
  if (part.bytes() == 0) return send_ended(nullptr);
  try {
    engine_.send_part(*peer_, control_header(header_, PartitionedKind::data), part, receive_id_,
                      static_cast<std::size_t>(partition) * part.bytes(), *this);
  } catch (...) {
    const Failure why = Failure::current();
    engine_.liveness().break_off(peer_->rank, why);
    send_ended(why.get());
  }
}

void PartitionedSend::receiver_freed() noexcept {
  rounds_ahead_ = 0;
  offered_ = false;
  if (starts_a_round()) offer();
}

void PartitionedSend::receiver_lost(const Peer& peer, const Failure& why) noexcept {
  if (awaits(peer)) fail_round(why);
}

/// Transfers that have started fail or end by themselves.
void PartitionedSend::interrupted(const Failure& why) noexcept {
  if (starts_a_round() && !lost_) fail_round(why);
}

/// Fails the round, of which nothing has been sent.
void PartitionedSend::fail_round(const Failure& why) noexcept {
  lost_ = true;
  fail(why);
  left_ -= static_cast<int>(std::ranges::count(ready_, true));
  if (left_ == 0) engine_.complete(*this);
}

void PartitionedSend::send_ended(const Error* failure) noexcept {
  if (failure != nullptr) fail(*failure);
  if (--left_ == 0) finish();
}

/// Completes the round when all partitions have been sent. If they have no data, an empty data message notifies the
/// receiver.
void PartitionedSend::finish() noexcept {
  if (partitions_.bytes() == 0 && receive_id_ != no_id) {
    const Data nothing{.receive_id = receive_id_, .offset = 0};
    table_.tell(*peer_, PartitionedKind::data, header_, as_prefix(nothing));
  }
  engine_.complete(*this);
}

void PartitionedSend::dispose() noexcept {
  table_.sends.remove(id_);
  if (rounds_ahead_ > 0 && !peer_->lost() && !peer_->has_left()) {
    const PartitionedReady in_vain{.send_id = id_, .receive_id = next_receive_};
    table_.tell(*peer_, PartitionedKind::gone, header_, as_prefix(in_vain));
  }
  delete this;
}

// ---- the receiver

PartitionedReceive::PartitionedReceive(Engine& engine, transport::Header header, const Partitions& partitions)
    : PartitionedRequest(engine, header, partitions), filled_(static_cast<std::size_t>(partitions.count)) {}

PartitionedReceive& PartitionedReceive::make(Engine& engine, int from, transport::Header header,
                                             const Partitions& partitions) {
  auto& receive = *new PartitionedReceive(engine, header, partitions);
  PartitionedTable& table = receive.table_;
  receive.id_ = table.receives.add(receive);
  if (receive.id_ == no_id) {
    delete &receive;
    throw std::bad_alloc();
  }
  if (from == no_process) return receive;
  try {
    receive.find_sender();
  } catch (...) {
    table.receives.remove(receive.id_);
    delete &receive;
    throw;
  }
  return receive;
}

/// Takes the oldest offer that matches, or waits for one.
void PartitionedReceive::find_sender() {
  const auto oldest = std::ranges::find_if(table_.offers, [&](const auto& each) { return accepts(each.header); });
  if (oldest == table_.offers.end()) return table_.unmatched.push_back({match(), this});
  const PartitionedTable::Offer taken = *oldest;
  table_.offers.erase(oldest);
  bind(taken.origin, taken.offer);
}

bool PartitionedReceive::accepts(transport::Header header) const noexcept {
  return header.context == header_.context && header.source == header_.source && header.tag == header_.tag;
}

void PartitionedReceive::bind(int origin, const PartitionedOffer& offer) {
  origin_ = origin;
  send_id_ = offer.send_id;
  message_bytes_ = offer.bytes;
  if (active && !done) say_ready();
}

void PartitionedReceive::sender_freed(std::uint64_t send_id) {
  if (!waits() || send_id != send_id_) return;
  origin_ = no_process;
  send_id_ = no_id;
  std::ranges::fill(filled_, 0);
  received_.clear();
  find_sender();
}

std::string PartitionedReceive::in_words(Engine& lane) const {
  return "a partitioned receive " + match_in_words(lane, match());
}

void PartitionedReceive::start(Engine&) {
  started_ = true;
  std::ranges::fill(filled_, 0);
  received_.clear();
  if (const Failure why = engine_.interruptions().of(header_.context); why != nullptr) {
    sender_lost(why);
  } else if (header_.source == no_process) {
    status = {.source = no_process};
    engine_.complete(*this);
  } else if (send_id_ != no_id) {
    say_ready();
  }
}

void PartitionedReceive::say_ready() {
  const PartitionedReady ready{.send_id = send_id_, .receive_id = id_};
  table_.tell(engine_.peer(origin_), PartitionedKind::ready, header_, as_prefix(ready));
}

/// Handles data of a round, which arrive in the sender's order within a partition and in any order among partitions.
bool PartitionedReceive::data_arrived(std::size_t offset, std::span<const std::byte> body) {
  const bool whole_of_nothing = message_bytes_ == 0 && offset == 0 && body.empty();
  const auto is_new = [&] { return received_.add(offset, body.size(), message_bytes_); };
  if (!waits() || (!whole_of_nothing && !engine_.shortage().with_memory(is_new))) return false;
  const std::size_t room = partitions_.bytes();
  const std::size_t kept = offset >= room ? 0 : std::min(body.size(), room - offset);
  store(offset, body.first(kept));
  if (received_.covered() == message_bytes_) finish();
  return true;
}

/// Stores data. The partitions are consecutive, like the elements of one array.
void PartitionedReceive::store(std::size_t offset, std::span<const std::byte> body) {
  const Buffer& buffer = partitions_.each;
  dtype::Cursor cursor(*buffer.type, static_cast<std::size_t>(partitions_.count) * buffer.count, buffer.base);
  cursor.seek(offset);
  cursor.unpack(body);
  const std::size_t each = buffer.bytes();
  while (!body.empty()) {
    const std::size_t partition = offset / each;
    const std::size_t part = std::min(body.size(), (partition + 1) * each - offset);
    filled_[partition] += part;
    offset += part;
    body = body.subspan(part);
  }
}

void PartitionedReceive::finish() {
  const std::size_t room = partitions_.bytes();
  status = {.source = header_.source, .tag = header_.tag, .bytes = std::min(message_bytes_, room)};
  if (message_bytes_ > room) {
    fail(Failure::of([&] {
      return Error(ErrorClass::truncate,
                   fmt::format("the partitioned message from rank {} with tag {} has {} bytes, but the receive buffer "
                               "ends after {}",
                               header_.source, header_.tag, message_bytes_, room));
    }));
  }
  engine_.complete(*this);
}

void PartitionedReceive::sender_lost(const Failure& why) noexcept {
  fail(why);
  engine_.complete(*this);
}

/// A partition without data has arrived when the round ends.
bool PartitionedReceive::arrived(int partition) const noexcept {
  const std::size_t each = partitions_.each.bytes();
  return !active || done || (each > 0 && filled_[static_cast<std::size_t>(partition)] == each);
}

void PartitionedReceive::dispose() noexcept {
  table_.receives.remove(id_);
  if (send_id_ == no_id) {
    const auto waiting = std::ranges::find(table_.unmatched, this, &PartitionedTable::Unmatched::receive);
    if (waiting != table_.unmatched.end()) waiting->receive = nullptr;  // no later receive may take its offer
  } else if (!started_) {
    table_.release(origin_, header_, send_id_);
  }
  delete this;
}

}  // namespace bowline::proto
