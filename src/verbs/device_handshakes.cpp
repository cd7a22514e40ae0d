// SPDX-License-Identifier: BSD-3-Clause
// What a verbs device does when peers initiate an out-of-band exchange, or answer one, or do neither.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "base/error.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {
namespace {

constexpr std::chrono::seconds between_inquiries{2};

}  // namespace

std::vector<std::byte> VerbsDevice::handshake_for(int peer) {
  Connection& connection = connection_to(peer);
  if (connection.link().is_over()) throw connection.error();
  Handshake handshake = connection.handshake();
  const transport::Address address = write_address(own_address_);
  handshake.address_bytes = static_cast<std::uint16_t>(address.size());
  std::vector<std::byte> bytes(sizeof handshake + address.size());
  std::memcpy(bytes.data(), &handshake, sizeof handshake);
  std::ranges::copy(address, bytes.begin() + sizeof handshake);
  return bytes;
}

Answer VerbsDevice::handshake_received(const Handshake& handshake, std::span<const std::byte> address) {
  if (handshake.sender < 0 || handshake.sender >= indices_.processes() || indices_.at(handshake.sender) < 0)
    return Answer::not_yet;
  DeviceAddress theirs = read_address(handshake.sender, address);
  Connection& connection = connection_to(handshake.sender);
  if (connection.link().is_over()) return Answer::over;
  // This process has initiated an exchange, too, and with a newer queue pair.
  if (static_cast<std::int32_t>(handshake.epoch - connection.link().epoch()) < 0) return Answer::not_yet;
  connection.set_address(std::move(theirs));
  const bool is_newer = handshake.epoch != connection.link().epoch();
  if (is_newer) renew(connection, handshake.epoch);
  try {
    if (!connection.link().is_with(handshake)) connection.connect(handshake);
  } catch (...) {
    // Messages that were under way need a queue pair, even if the peer makes no further attempt.
    if (is_newer && connection.link().state() == PeerLink::State::apart) contact(connection);
    throw;
  }
  return Answer::handshake;
}

bool VerbsDevice::answer_received(int peer, const Handshake& handshake) {
  Connection& connection = connection_to(peer);
  if (connection.link().is_over()) return true;
  if (handshake.epoch != connection.link().epoch()) return false;
  if (!connection.link().is_with(handshake)) connection.connect(handshake);
  connection.handshake_done();
  return true;
}

void VerbsDevice::ready_is(int peer, std::uint32_t epoch) {
  Connection& connection = connection_to(peer);
  if (connection.link().epoch() != epoch) return;
  connection.handshake_done();
  oob_.forget(peer);
}

/// This process initiates an exchange now, unless one is under way. The peer may have heard the answer, and then the
/// peer does not initiate another exchange.
void VerbsDevice::hung_up(int peer, std::uint32_t epoch) noexcept {
  Connection& connection = *by_peer_.find(peer)->second;
  if (connection.link().epoch() == epoch && connection.link().sends_after_handshake()) contact(connection);
}

/// Replaces the queue pair. Messages that the old one has received are delivered first: the peer relies on their
/// delivery, since they were acknowledged.
void VerbsDevice::renew(Connection& connection, std::uint32_t epoch) noexcept {
  connection.stop();
  while (poll_completions() > 0) continue;
  connection.begin_epoch(epoch);
}

void VerbsDevice::contact_again(Connection& connection) noexcept {
  if (connection.link().state() != PeerLink::State::apart) return;  // the peer has been faster, or is lost
  renew(connection, connection.link().epoch() + 1);
  if (connection.link().is_over()) return;  // the peer's bye was among the received messages
  contact(connection);
}

/// Initiates an exchange with a peer that was connected before, in the present epoch.
void VerbsDevice::contact(Connection& connection) noexcept {
  try {
    oob_.contact(connection.peer(), places_to_try(connection.address(), host_), connection.address().cookie, true);
  } catch (const std::exception& error) {
    connection.lose(error.what());
  }
}

/// Initiates another exchange, in the same epoch, with the peers that the connection manager has not connected for
/// long. A peer that has ended does not answer; a peer that lives only answers.
void VerbsDevice::inquire() noexcept {
  std::erase_if(notes_.joining,
                [](const Connection* each) { return each->link().state() != PeerLink::State::joining; });
  const auto now = std::chrono::steady_clock::now();
  for (Connection* const each : notes_.joining) {
    if (now - each->link().joining_since() < between_inquiries) continue;
    each->note_inquiry(now);
    try {
      oob_.contact(each->peer(), places_to_try(each->address(), host_), each->address().cookie, true);
    } catch (const std::bad_alloc&) {
      // The next inquiry serves as well.
    }
  }
}

void VerbsDevice::unreachable(int peer, const std::string& why) noexcept {
  const auto known = by_peer_.find(peer);
  if (known == by_peer_.end()) return;
  const PeerLink& link = known->second->link();
  const bool is_joining = link.state() == PeerLink::State::joining;
  // As long as the exchange that the peer has initiated goes on, that exchange decides: it ends with ready_is() or
  // hung_up().
  const bool is_waiting = link.sends_after_handshake() && !oob_.listens_to(peer, link.epoch());
  if (is_joining || is_waiting || !link.is_connected()) known->second->lose(why);
}

void VerbsDevice::other_version_received(int peer, std::uint32_t version) noexcept {
  if (sink_ == nullptr || peer < 0 || peer >= indices_.processes()) return;
  sink_->broken(peer, Failure::of([&] { return transport::other_version(peer, version); }));
}

}  // namespace bowline::verbs
