// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/arrivals.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"

namespace bowline::ucx {
namespace {

std::vector<std::byte> joined(std::span<const std::byte> prefix, std::span<const std::byte> body) {
  std::vector<std::byte> bytes(prefix.begin(), prefix.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

Error wrong_message(int sender, const std::string& what) {
  return {ErrorClass::intern, fmt::format("a message from {} is wrong: {}; the connection with that rank is closed",
                                          process_name(sender), what)};
}

/// Throws Error if the message has another version of the wire format, or if its header gives a prefix that is longer
/// than the message or than max_prefix.
void check_lengths(const WireHeader& wire, std::size_t rest) {
  if (wire.version != transport::wire_version) throw transport::other_version(wire.sender, wire.version);
  if (wire.prefix_bytes <= max_prefix && wire.prefix_bytes <= rest) return;
  throw wrong_message(wire.sender, fmt::format("{} bytes are said to stand before its body, where {} are and {} may be",
                                               wire.prefix_bytes, rest, max_prefix));
}

}  // namespace

void Arrivals::begin(transport::Sink& sink) noexcept {
  sink_ = &sink;
  delivered_before_ += std::exchange(delivered_, 0);
  if (!kept_.empty()) [[unlikely]]
    deliver_kept();
}

/// Whether the message names its sender. A message without a sender is reported, once, and dropped.
bool Arrivals::is_known(std::span<const std::byte> front) noexcept {
  std::int32_t sender = -1;
  if (front.size() >= sizeof(WireHeader)) std::memcpy(&sender, front.data(), sizeof sender);
  if (sender >= 0 && sender < processes_) return true;
  if (!std::exchange(warned_, true)) {
    log::error(
        "a message of {} bytes has come from another node, and its sender is not one of the {} processes that this one "
        "knows: it is dropped; further ones are dropped without a report",
        front.size(), processes_);
  }
  return false;
}

void Arrivals::take(std::span<const std::byte> header, std::span<const std::byte> data) noexcept {
  const std::span<const std::byte> front = header.empty() ? data : header;
  if (sink_ == nullptr || !is_known(front)) [[unlikely]]
    return;
  WireHeader wire;
  std::memcpy(&wire, front.data(), sizeof wire);
  const std::span<const std::byte> rest = front.subspan(sizeof wire);
  try {
    check_lengths(wire, rest.size());
    take_in_order(wire, rest.first(wire.prefix_bytes), header.empty() ? rest.subspan(wire.prefix_bytes) : data);
  } catch (...) {
    if (const auto from = incoming_.find(wire.sender); from != incoming_.end()) from->second.broken = true;
    sink_->broken(wire.sender, Failure::current());
  }
}

void Arrivals::take_in_order(const WireHeader& header, std::span<const std::byte> prefix,
                             std::span<const std::byte> body) {
  Incoming& from = incoming_[header.sender];
  if (from.broken) [[unlikely]]
    return;
  if (header.sequence != from.next) [[unlikely]] {
    const bool fresh = static_cast<std::int32_t>(header.sequence - from.next) > 0;
    Kept early{header.sender, header.message, prefix.size(), joined(prefix, body)};
    if (fresh && from.early.emplace(header.sequence, std::move(early)).second) return;
    throw wrong_message(header.sender, fmt::format("it is number {}, which has come already", header.sequence));
  }
  ++from.next;
  deliver(header.sender, header.message, prefix, body);
  while (!from.early.empty()) [[unlikely]] {
      const auto found = from.early.find(from.next);
      if (found == from.early.end()) return;
      ++from.next;
      const Kept message = std::move(found->second);
      from.early.erase(found);
      const std::span<const std::byte> bytes(message.bytes);
      deliver(message.sender, message.header, bytes.first(message.prefix_bytes), bytes.subspan(message.prefix_bytes));
    }
}

/// Delivers a message. Keeps it if the sink cannot take it now; then every later message, of any peer, is kept behind
/// it.
void Arrivals::deliver(int sender, transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) {
  if (kept_.empty()) [[likely]] {
    try {
      sink_->arrived(sender, header, prefix, body);
      ++delivered_;
      return;
    } catch (const transport::NotYet&) {
    }
  }
  kept_.push_back({sender, header, prefix.size(), joined(prefix, body)});
}

void Arrivals::deliver_kept() noexcept {
  try {
    while (!kept_.empty()) {
      const Kept& message = kept_.front();
      const std::span<const std::byte> bytes(message.bytes);
      sink_->arrived(message.sender, message.header, bytes.first(message.prefix_bytes),
                     bytes.subspan(message.prefix_bytes));
      kept_.pop_front();
      ++delivered_;
    }
  } catch (const transport::NotYet&) {
    // The message stays the first in kept_.
  }
}

}  // namespace bowline::ucx
