// SPDX-License-Identifier: BSD-3-Clause
#include "proto/partitioned.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dtype/cursor.hpp"

namespace bowline::proto {

Buffer Partitions::operator[](int i) const noexcept {
  const auto elements = static_cast<std::ptrdiff_t>(each.count) * i;
  return {each.base + elements * each.type->extent(), each.count, each.type};
}

PartitionedRequest::PartitionedRequest(Engine& engine, transport::Header header, const Partitions& partitions) noexcept
    : SpecialRequest(header.context),
      engine_(engine),
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
      id_(engine.partitioned().next_id++),
      peer_(to == no_process ? nullptr : &engine.peer(to)),
      ready_(static_cast<std::size_t>(partitions.count)) {}

PartitionedSend& PartitionedSend::make(Engine& engine, int to, transport::Header header, const Partitions& partitions) {
  auto& send = *new PartitionedSend(engine, to, header, partitions);
  engine.partitioned().sends.emplace(send.id_, &send);
  if (send.peer_ != nullptr) {
    const PartitionedOffer offer{.send_id = send.id_, .bytes = partitions.bytes()};
    engine.send_control(*send.peer_, control_header(header, Kind::partitioned_offer), as_prefix(offer));
  }
  return send;
}

void PartitionedSend::start(Engine&) {
  ready_.assign(ready_.size(), false);
  left_ = partitions_.count;
  receive_id_ = 0;
  lost_ = false;
  if (rounds_ahead_ > 0) {
    --rounds_ahead_;
    receive_id_ = next_receive_;
  }
  if (left_ == 0) engine_.complete(*this);
}

void PartitionedSend::check_ready(int partition) const {
  check_partition(partition);
  if (!active || ready_[static_cast<std::size_t>(partition)]) {
    throw Error(ErrorClass::request,
                active ? fmt::format("partition {} is marked as ready already: mark it once in each round", partition)
                       : fmt::format("partition {} cannot be marked as ready: the request is not started", partition));
  }
}

void PartitionedSend::ready(int partition) {
  ready_[static_cast<std::size_t>(partition)] = true;
  if (peer_ == nullptr || lost_) {
    send_ended(nullptr);
  } else if (receive_id_ != 0) {
    transfer(partition);
  }
}

void PartitionedSend::receiver_ready(std::uint64_t receive_id) {
  if (!active || done || receive_id_ != 0) {
    next_receive_ = receive_id;  // its next round has begun before ours
    ++rounds_ahead_;
    return;
  }
  receive_id_ = receive_id;
  const int count = partitions_.count;  // the last transfer may end this object's life, if the user has freed it
  for (int i = 0; i < count; ++i) {
    if (ready_[static_cast<std::size_t>(i)]) transfer(i);
  }
}

void PartitionedSend::transfer(int partition) {
  const Buffer part = partitions_[partition];
  engine_.send_part(*peer_, control_header(header_, Kind::partitioned_data), part, receive_id_,
                    static_cast<std::size_t>(partition) * part.bytes(), *this);
}

void PartitionedSend::receiver_lost(const Peer& peer, const Error& error) {
  if (!awaits(peer)) return;
  lost_ = true;
  Engine::fail(*this, error);
  left_ -= static_cast<int>(std::ranges::count(ready_, true));
  if (left_ == 0) engine_.complete(*this);
}

void PartitionedSend::send_ended(const Error* failure) noexcept {
  if (failure != nullptr) Engine::fail(*this, *failure);
  if (--left_ == 0) engine_.complete(*this);
}

void PartitionedSend::dispose() noexcept {
  engine_.partitioned().sends.erase(id_);
  delete this;
}

// ---- the receiver

PartitionedReceive::PartitionedReceive(Engine& engine, transport::Header header, const Partitions& partitions)
    : PartitionedRequest(engine, header, partitions),
      id_(engine.partitioned().next_id++),
      filled_(static_cast<std::size_t>(partitions.count)) {}

PartitionedReceive& PartitionedReceive::make(Engine& engine, int from, transport::Header header,
                                             const Partitions& partitions) {
  auto& receive = *new PartitionedReceive(engine, header, partitions);
  PartitionedTable& table = engine.partitioned();
  table.receives.emplace(receive.id_, &receive);
  if (from == no_process) return receive;
  const auto offer = std::ranges::find_if(table.offers, [&](const auto& each) { return receive.accepts(each.header); });
  if (offer == table.offers.end()) {
    table.unbound.push_back(receive);
  } else {
    receive.bind(offer->origin, offer->offer);
    table.offers.erase(offer);
  }
  return receive;
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

void PartitionedReceive::start(Engine&) {
  std::ranges::fill(filled_, 0);
  received_ = 0;
  if (header_.source == no_process) {
    status = {.source = no_process};
    engine_.complete(*this);
  } else if (send_id_ != 0) {
    say_ready();
  }
}

void PartitionedReceive::say_ready() {
  const PartitionedReady ready{.send_id = send_id_, .receive_id = id_};
  engine_.send_control(engine_.peer(origin_), control_header(header_, Kind::partitioned_ready), as_prefix(ready));
  if (message_bytes_ == 0) finish();
}

/// Data of a round, in the sender's order within a partition and in any order among partitions.
void PartitionedReceive::data_arrived(std::size_t offset, std::span<const std::byte> body) {
  received_ += body.size();
  const std::size_t room = partitions_.bytes();
  const std::size_t kept = offset >= room ? 0 : std::min(body.size(), room - offset);
  store(offset, body.first(kept));
  if (received_ == message_bytes_) finish();
}

/// The partitions lie one behind the other like the elements of one array.
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
    Engine::fail(*this, Error(ErrorClass::truncate,
                              fmt::format("the partitioned message from rank {} with tag {} has {} bytes, but the "
                                          "receive buffer ends after {}",
                                          header_.source, header_.tag, message_bytes_, room)));
  }
  engine_.complete(*this);
}

void PartitionedReceive::sender_lost(const Error& error) {
  Engine::fail(*this, error);
  engine_.complete(*this);
}

bool PartitionedReceive::arrived(int partition) const noexcept {
  return !active || done || filled_[static_cast<std::size_t>(partition)] == partitions_.each.bytes();
}

void PartitionedReceive::dispose() noexcept {
  PartitionedTable& table = engine_.partitioned();
  if (linked()) List<PartitionedReceive>::remove(*this);
  table.receives.erase(id_);
  delete this;
}

// ---- a receiver that has ended

bool PartitionedTable::awaits(const Peer& peer) const noexcept {
  return std::ranges::any_of(sends, [&](const auto& each) { return each.second->awaits(peer); });
}

void PartitionedTable::lost(const Peer& peer, const Error& error) {
  std::vector<PartitionedSend*> all;  // a send that the user has freed takes itself out of the table
  all.reserve(sends.size());
  for (const auto& [id, send] : sends) all.push_back(send);
  for (PartitionedSend* const send : all) send->receiver_lost(peer, error);
}

// ---- what arrives

void partitioned_arrived(Engine& engine, int origin, transport::Header header, std::span<const std::byte> prefix,
                         std::span<const std::byte> body) {
  PartitionedTable& table = engine.partitioned();
  switch (static_cast<Kind>(header.kind)) {
    case Kind::partitioned_offer: {
      engine.peer(origin);  // as in Engine::synchronous_arrived
      const auto offer = read_prefix<PartitionedOffer>(prefix);
      auto* const receive = table.unbound.find([&](const auto& each) { return each.accepts(header); });
      if (receive == nullptr) {
        table.offers.push_back({origin, header, offer});
      } else {
        List<PartitionedReceive>::remove(*receive);
        receive->bind(origin, offer);
      }
      return;
    }
    case Kind::partitioned_ready: {
      const auto ready = read_prefix<PartitionedReady>(prefix);
      const auto send = table.sends.find(ready.send_id);
      if (send != table.sends.end()) send->second->receiver_ready(ready.receive_id);
      return;
    }
    default: {
      const auto piece = read_prefix<Data>(prefix);
      const auto receive = table.receives.find(piece.receive_id);
      if (receive != table.receives.end()) receive->second->data_arrived(piece.offset, body);
    }
  }
}

}  // namespace bowline::proto
