// SPDX-License-Identifier: BSD-3-Clause
// The wire format of the protocols: the kinds of messages and the prefix that each carries.
//
// Messages that match receives:
//   eager              body: the whole message
//   eager_typed        the same; the mark of its header is the signature of its data (dtype/signature.hpp), as it is in
//                      the following two kinds if it is not 0 and the purpose of the context is point_to_point
//   eager_synchronous  body: the whole message; the receiver sends `finished` when a receive has matched it
//   ready_to_send      announces a message that is too long for eager; its data stay at an address of the sender
//   failure            the sender cannot provide the message: the matching receive fails with the error in the prefix.
//                      Body: the error's sentence
// Receiver -> sender, about a matched message:
//   finished           the send completes: its data have arrived, or its synchronous message was matched
//   clear_to_send      requests the data in pieces
//   clear_to_put       requests a put to this address. Body: the key of the receiver's memory
//   clear_to_share     requests a put of the back part (front_part()) to this memory, without a key: the receiver reads
//                      the front itself. The send ends with `finished`
// Sender -> receiver:
//   data               body: one piece
//   placed             the put has ended
//   cancel             requests to drop this unmatched message. The receiver sends `cancelled` if it has dropped the
//                      message, otherwise nothing
// Flow control, receiver -> sender (sending/flow.hpp):
//   announce_all       orders to announce every message by ready_to_send; revoked by announce_long
//   pause              orders to announce nothing in this context; revoked by resume, wholly or for some messages
// After an error (liveness/liveness.hpp):
//   broken_off         the sender drops all later messages of the receiver. Body: why, as a sentence
// About the end of a process (liveness/farewells.hpp):
//   tell_end           the sender waits for the receiver and requests its good_bye
//   good_bye           the sender is in MPI_Finalize; no message of its program follows, but for those of sessions. A
//                      tag above 1: those neither, because its process is about to end
// Other parts of the library have kinds of their own (services/service.hpp).
//
// Ids come from the IdTable of the sender or of the receiver; a process looks up only ids that it made itself. Every
// arriving message is checked before it is used (checks.hpp).
#pragma once

#include <algorithm>
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
  pause,
  resume,
  broken_off,
  failure,
  tell_end,
  good_bye,
  clear_to_share,
  eager_typed,
};

/// The form of the messages of one kind.
struct Form {
  std::string_view name;
  std::size_t prefix_bytes;  ///< exact length of the prefix
  std::size_t most_body;     ///< bound on the length of the body, in bytes
  bool in_context;           ///< whether its header has a context, a source and a tag
};
/// The bound of a body that may be as long as the transport allows.
inline constexpr std::size_t any_length = std::numeric_limits<std::size_t>::max();

/// Prefix of eager_synchronous, finished, cancel and cancelled.
struct SendId {
  std::uint64_t send_id;
};

struct FailureNotice {
  std::int32_t error_class;
  std::int32_t lost;  ///< Error::lost(); -1 for a process of another job
};

struct ReadyToSend {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t send_id;
};

struct ClearToSend {
  std::uint64_t send_id;
  std::uint64_t receive_id;
  std::uint64_t bytes;      ///< that the receiver requests
  std::uint32_t piece = 0;  ///< the length in which the receiver would like the pieces; 0: any length. With
                            ///< `part_flag`: the receiver will ask for the rest of the message later
  std::uint32_t skip = 0;   ///< the first of the requested bytes, which the receiver has read itself
};

inline constexpr std::uint32_t part_flag = std::uint32_t{1} << 31;

struct ClearToPut {
  std::uint64_t send_id;
  std::uint64_t receive_id;
  std::uint64_t bytes;  ///< that the receiver requests
  std::uint64_t address;
};

struct Data {
  std::uint64_t receive_id;
  std::uint64_t offset;
};

/// Header::flags of ready_to_send: the sender has announced or begun other messages to this receiver before that have
/// not arrived.
inline constexpr std::uint8_t in_row_flag = 1;
/// Header::flags of ready_to_send: the data have holes, but so few and long blocks that the sender can put them.
inline constexpr std::uint8_t blocks_flag = 2;

/// The bytes that the receiver reads itself if it requests a message of this length by clear_to_share: about half, in
/// whole pages, and at least one page or all.
constexpr std::uint64_t front_part(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t page = 4096;
  return std::min(bytes, std::max(page, (bytes / 2 + page - 1) / page * page));
}

/// `written` is 0 if the sender could not write to the receiver's memory.
struct Placed {
  std::uint64_t receive_id;
  std::uint64_t send_id;
  std::uint64_t written;
};

struct Resume {
  std::uint64_t grant;  ///< number of messages that may be announced; `all_messages`: the pause ends
};
inline constexpr std::uint64_t all_messages = ~std::uint64_t{0};

inline constexpr std::size_t max_prefix = sizeof(ClearToPut);
static_assert(sizeof(ReadyToSend) == 24 && sizeof(ClearToSend) == 32 && sizeof(Data) == 16);

/// Reads a prefix whose length has been checked.
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

/// The header of a protocol's message about another message.
inline transport::Header control_header(transport::Header of_message, Kind kind) noexcept {
  transport::Header header = of_message;
  header.kind = static_cast<std::uint8_t>(kind);
  return header;
}

}  // namespace bowline::proto
