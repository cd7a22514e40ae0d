// SPDX-License-Identifier: BSD-3-Clause
// What the protocols say to each other: the kinds of messages and the prefix that each carries.
//
// Messages to be matched:
//   eager              body: the whole message
//   eager_synchronous  the same, and the sender waits for `finished`
//   ready_to_send      the message is too long to send unasked; it waits at an address of the sender
//   failure            the sender cannot give the message: whoever receives it fails with the error in it. Body: its
//                      sentence
// Receiver -> sender, about a message that has been matched:
//   finished           the send is over: its data are here, or its synchronous message was matched
//   clear_to_send      please send it in pieces
//   clear_to_put       please write it to this address
// Sender -> receiver:
//   data               body: one piece
//   placed             the message has been written to where it was to go
//   cancel             forget this unmatched message; answered by `cancelled` if it was forgotten, else by nothing
// Flow control, receiver -> sender (flow.hpp):
//   announce_all       send everything by ready_to_send from now on; taken back by announce_long
//   hold               announce nothing in this context; taken back, wholly or for some messages, by resume
// About a third process (lost.cpp):
//   where_is           how is it reached? Answered by `address`, or by nothing if that is not known
//   address            body: its address
// When the sender has failed (failure.cpp):
//   broken_off         it hears nothing any more of what this peer sends; body: why, as a sentence
// About the end of a process (good_bye.cpp):
//   tell_end           the sender waits for the receiver, and wants to hear its good_bye
//   good_bye           the sender is in MPI_Finalize, and no message of its program comes after this one
// Other parts of the library have kinds of their own (service.hpp).
//
// Ids are those of the sender's or the receiver's IdTable; they come back to the process that made them. Whatever
// arrives is checked before anything is done with it (checks.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "transport/transport.hpp"

namespace bowline::proto {

enum class Kind : std::uint8_t {
  eager,
  eager_synchronous,
  ready_to_send,
  finished,
  clear_to_send,
  clear_to_put,
  data,
  placed,
  cancel,
  cancelled,
  announce_all,
  announce_long,
  hold,
  resume,
  where_is,
  address,
  broken_off,
  failure,
  tell_end,
  good_bye,
};

/// What messages of one kind look like.
struct Form {
  std::string_view name;
  std::size_t prefix_bytes;  ///< always so many
  std::size_t most_body;     ///< its longest body, in bytes
  bool in_context;  ///< whether its header says in which context, from which source and with which tag it comes
};
/// Of a body that may be as long as the transport takes.
inline constexpr std::size_t any_length = std::numeric_limits<std::size_t>::max();
/// nullptr if the engine itself has no such kind.
const Form* form_of(std::uint8_t kind) noexcept;

/// Of eager_synchronous, finished, cancel and cancelled.
struct SendId {
  std::uint64_t send_id;
};

struct FailureNotice {
  std::int32_t error_class;
  std::int32_t lost;  ///< Error::lost()
};

struct ReadyToSend {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t send_id;
};

struct ClearToSend {
  std::uint64_t send_id;
  std::uint64_t receive_id;
  std::uint64_t bytes;  ///< how much the receiver has room for
};

struct ClearToPut {
  std::uint64_t send_id;
  std::uint64_t receive_id;
  std::uint64_t bytes;  ///< how much the receiver has room for
  std::uint64_t address;
};

struct Data {
  std::uint64_t receive_id;
  std::uint64_t offset;
};

/// `written` is less than what was asked for if the sender could not write to the receiver's memory.
struct Placed {
  std::uint64_t receive_id;
  std::uint64_t send_id;
  std::uint64_t written;
};

struct Resume {
  std::uint64_t grant;  ///< how many messages may be announced; `all_messages`: the hold is over
};
inline constexpr std::uint64_t all_messages = ~std::uint64_t{0};

/// Of where_is and address.
struct Sought {
  std::int64_t rank;  ///< in the world
};

inline constexpr std::size_t max_prefix = sizeof(ClearToPut);
static_assert(sizeof(ReadyToSend) == 24 && sizeof(ClearToSend) == 24 && sizeof(Data) == 16);

/// Reads a prefix of this kind of message; its length has been checked.
template <class T>
T read_prefix(std::span<const std::byte> prefix) noexcept {
  T value;
  std::memcpy(&value, prefix.data(), sizeof value);
  return value;
}

template <class T>
std::span<const std::byte> as_prefix(const T& value) noexcept {
  return std::as_bytes(std::span(&value, 1));
}

/// The header of a message that belongs to another one.
inline transport::Header control_header(transport::Header of_message, Kind kind) noexcept {
  transport::Header header = of_message;
  header.kind = static_cast<std::uint8_t>(kind);
  return header;
}

}  // namespace bowline::proto
