// SPDX-License-Identifier: BSD-3-Clause
// Checks of arriving messages, and the errors that they throw. Every message is checked before it is used: it must have
// the form of its kind, and the ids in it must name requests that concern the sender. An Error closes the connection to
// the sender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "proto/wire.hpp"

namespace bowline::proto {

/// A message names a request of this process that has failed and does not exist any more.
struct Forgotten {};

class Engine;
class ReceiveRequest;
class SendRequest;
struct Arrival;

/// The error for an invalid message. It names the sender by its world rank, and `what` is wrong.
Error wrong_message(int origin, const std::string& what);
/// As above, and names the kind of the message.
Error wrong_message(int origin, std::string_view kind, const std::string& what);

/// Text from a peer, which may contain any bytes, as one printable line of bounded length.
std::string sentence_in(std::span<const std::byte> bytes);

/// Whether source and tag are in their ranges. `processes`: the number of processes that this process knows.
inline bool is_plausible(transport::Header header, int processes) noexcept {
  return static_cast<std::uint32_t>(header.source) < static_cast<std::uint32_t>(processes) && header.tag >= 0;
}

/// Throws wrong_message() unless the message has this form.
void check_form(const Form& form, const Arrival& message, int processes);

/// Throws wrong_message() unless this engine may serve a communicator with this context.
void check_context(const Engine& engine, int origin, std::uint32_t context);

/// The send that the sender of the message may name by this id. Throws wrong_message() if there is none, Forgotten if
/// there may have been one.
SendRequest& named_send(const Engine& engine, const Arrival& message, std::uint64_t id);
/// The receive that the sender of the message may name by this id. Throws as named_send().
ReceiveRequest& named_receive(const Engine& engine, const Arrival& message, std::uint64_t id);

/// Throws wrong_message() unless the receiver may request this many bytes of this message now.
void check_asked(const Arrival& message, const SendRequest& send, std::uint64_t bytes);

/// Throws wrong_message() unless a message may have this id and length.
void check_offered(const Arrival& message, std::uint64_t send_id, std::uint64_t bytes);

}  // namespace bowline::proto
