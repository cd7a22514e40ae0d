// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a message that has arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "proto/wire.hpp"

namespace bowline::proto {

class SendRequest;

/// Says which peer, by its world rank, has sent what cannot be right, and `what` that is.
Error wrong_message(int origin, const std::string& what);
/// The same, and names the kind of the message.
Error wrong_message(int origin, std::string_view kind, const std::string& what);
Error wrong_message(int origin, Kind kind, const std::string& what);

/// The words of a peer, of any bytes: what can be printed of them in one line, and no more than a sentence has.
std::string sentence_in(std::span<const std::byte> bytes);

/// Throws that unless the receiver may ask for so many bytes of this message now.
void check_asked(int origin, Kind kind, const SendRequest& send, std::uint64_t bytes);

/// Throws that unless there may be a message of this id and length.
void check_offered(int origin, std::string_view kind, std::uint64_t send_id, std::uint64_t bytes);
void check_offered(int origin, Kind kind, std::uint64_t send_id, std::uint64_t bytes);

}  // namespace bowline::proto
