// SPDX-License-Identifier: BSD-3-Clause
// Checks of arriving messages, and the errors that they throw.
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

class SendRequest;

/// The error for an invalid message. It names the sender by its world rank, and `what` is wrong.
Error wrong_message(int origin, const std::string& what);
/// As above, and names the kind of the message.
Error wrong_message(int origin, std::string_view kind, const std::string& what);
Error wrong_message(int origin, Kind kind, const std::string& what);

/// Text from a peer, which may contain any bytes, as one printable line of bounded length.
std::string sentence_in(std::span<const std::byte> bytes);

/// Throws wrong_message() unless the receiver may request this many bytes of this message now.
void check_asked(int origin, Kind kind, const SendRequest& send, std::uint64_t bytes);

/// Throws wrong_message() unless a message may have this id and length.
void check_offered(int origin, std::string_view kind, std::uint64_t send_id, std::uint64_t bytes);
void check_offered(int origin, Kind kind, std::uint64_t send_id, std::uint64_t bytes);

}  // namespace bowline::proto
