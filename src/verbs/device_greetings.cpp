// SPDX-License-Identifier: BSD-3-Clause
// What a verbs device does when peers greet, or answer, or do neither.
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

std::vector<std::byte> VerbsDevice::hello_to(int peer) {
  Connection& connection = connection_to(peer);
  if (connection.link().is_over()) throw connection.error();
  Hello hello = connection.hello();
  const transport::Address address = write_address(own_address_);
  hello.address_bytes = static_cast<std::uint16_t>(address.size());
  std::vector<std::byte> bytes(sizeof hello + address.size());
  std::memcpy(bytes.data(), &hello, sizeof hello);
  std::ranges::copy(address, bytes.begin() + sizeof hello);
  return bytes;
}

Answer VerbsDevice::greeted_by(const Hello& hello, std::span<const std::byte> address) {
  if (hello.sender < 0 || hello.sender >= indices_.processes() || indices_.at(hello.sender) < 0) return Answer::not_yet;
  DeviceAddress theirs = read_address(hello.sender, address);
  Connection& connection = connection_to(hello.sender);
  if (connection.link().is_over()) return Answer::over;
  // This process greets, too, and with a newer queue pair.
  if (static_cast<std::int32_t>(hello.epoch - connection.link().epoch()) < 0) return Answer::not_yet;
  connection.set_address(std::move(theirs));
  const bool is_newer = hello.epoch != connection.link().epoch();
  if (is_newer) renew(connection, hello.epoch);
  try {
    if (!connection.link().is_with(hello)) connection.connect(hello);
  } catch (...) {
    // What was under way needs a queue pair, also if the peer gives up.
    if (is_newer && connection.link().state() == PeerLink::State::apart) greet(connection);
    throw;
  }
  return Answer::hello;
}

bool VerbsDevice::answered_by(int peer, const Hello& hello) {
  Connection& connection = connection_to(peer);
  if (connection.link().is_over()) return true;
  if (hello.epoch != connection.link().epoch()) return false;
  if (!connection.link().is_with(hello)) connection.connect(hello);
  connection.greeted();
  return true;
}

void VerbsDevice::ready_is(int peer, std::uint32_t epoch) {
  Connection& connection = connection_to(peer);
  if (connection.link().epoch() != epoch) return;
  connection.greeted();
  greeter_.forget(peer);
}

/// This process greets the peer now, unless it does already. The peer may have heard the answer, and then it does not
/// greet again.
void VerbsDevice::hung_up(int peer, std::uint32_t epoch) noexcept {
  Connection& connection = *by_peer_.find(peer)->second;
  if (connection.link().epoch() == epoch && connection.link().sends_after_greeting()) greet(connection);
}

/// Gives up the queue pair. What it has received is delivered first: the peer counts on that, since it was
/// acknowledged.
void VerbsDevice::renew(Connection& connection, std::uint32_t epoch) noexcept {
  connection.stop();
  while (poll_completions() > 0) continue;
  connection.begin_epoch(epoch);
}

void VerbsDevice::greet_again(Connection& connection) noexcept {
  if (connection.link().state() != PeerLink::State::apart) return;  // the peer has been faster, or is lost
  renew(connection, connection.link().epoch() + 1);
  if (connection.link().is_over()) return;  // its bye was among what it has received
  greet(connection);
}

/// Greets a peer that was connected before, in the present epoch.
void VerbsDevice::greet(Connection& connection) noexcept {
  try {
    greeter_.greet(connection.peer(), places_to_try(connection.address(), host_), connection.address().cookie, true);
  } catch (const std::exception& error) {
    connection.lose(error.what());
  }
}

/// Greets the peers that the connection manager has not connected for long, once more in the same epoch. Those that
/// have given up do not answer, and those that live do nothing else.
void VerbsDevice::inquire() noexcept {
  std::erase_if(notes_.joining,
                [](const Connection* each) { return each->link().state() != PeerLink::State::joining; });
  const auto now = std::chrono::steady_clock::now();
  for (Connection* const each : notes_.joining) {
    if (now - each->link().joining_since() < between_inquiries) continue;
    each->note_inquiry(now);
    try {
      greeter_.greet(each->peer(), places_to_try(each->address(), host_), each->address().cookie, true);
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
  // As long as the peer's own greeting goes on, it decides: it ends with ready_is() or hung_up().
  const bool is_waiting = link.sends_after_greeting() && !greeter_.listens_to(peer, link.epoch());
  if (is_joining || is_waiting || !link.is_connected()) known->second->lose(why);
}

void VerbsDevice::greeted_by_version(int peer, std::uint32_t version) noexcept {
  if (sink_ == nullptr || peer < 0 || peer >= indices_.processes()) return;
  sink_->broken(peer, Failure::of([&] { return transport::other_version(peer, version); }));
}

}  // namespace bowline::verbs
