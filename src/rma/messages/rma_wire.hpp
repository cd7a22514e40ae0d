// SPDX-License-Identifier: BSD-3-Clause
// The messages of one-sided communication. Every header carries the context of the window and the sender's rank there;
// messages with data of an operation do not (they name it).
//
// Origin -> target
//   type        a part of the encoding of a datatype (dtype/construction/encoding.hpp), which later messages name by
//   its slot operation   a put, get or accumulate. Body: the origin's data, if they are short swap        a
//   compare-and-swap. Body: the value to compare with, then the new one data        a part of the data of the last
//   operation, if they are long flush       asks for `flushed` when all earlier operations have been applied lock asks
//   for `locked` when the lock has been granted unlock      asks for `flushed`, and releases the lock then complete the
//   origin's access epoch (MPI_Win_complete) has ended, and all its operations have been applied describe    asks for
//   `description`
// Target -> origin
//   answer      a part of the data that an operation asked for
//   failed      an operation that asked for data has failed. Body: why
//   flushed     all operations before a `flush` or `unlock` have been applied. Body: why one of them failed, if one did
//   locked      the lock has been granted. Body: why it never will be, if so
//   post        the target's exposure epoch (MPI_Win_post) has begun
//   description the target's memory. Body: the key by which the network reaches it
//
// The messages from one origin to one target are handled in the order in which they were sent; an origin sends a
// message only when all earlier ones have been handed to the transport.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dtype/element.hpp"
#include "proto/services/service.hpp"
#include "proto/wire.hpp"

namespace bowline::rma {

struct RmaKind {
  static constexpr proto::Kind type{40}, operation{41}, swap{42}, data{43}, flush{44}, lock{45}, unlock{46},
      complete{47}, describe{48}, answer{49}, failed{50}, flushed{51}, locked{52}, post{53}, description{54};
};

/// The datatype of a message: an element of predefined types, or the slot of a datatype that the origin has sent
/// before.
enum class TypeName : std::uint16_t {};
inline constexpr std::uint16_t first_slot = 256;
inline constexpr unsigned type_slots = 64;
static_assert(dtype::element_count <= first_slot);

/// Prefix of `type`.
struct TypePart {
  std::uint32_t slot;
  std::uint32_t unused;
  std::uint64_t bytes;   ///< length of the whole encoding
  std::uint64_t offset;  ///< of this part
};

enum class Action : std::uint8_t { put, get, accumulate, get_accumulate };

/// Prefix of `operation` and `swap`.
struct OperationHead {
  std::int64_t displacement;
  std::uint64_t count;      ///< elements at the target
  std::uint64_t answer_id;  ///< id of the answer at the origin; no_id if the operation asks for no data
  TypeName type;
  Action action;
  std::uint8_t op;        ///< dtype::Operator of an accumulate
  std::uint8_t has_data;  ///< whether data of the origin come: in the body, or in `data`
  std::uint8_t in_parts;  ///< whether the operation's data come in `data` messages
  std::uint8_t unused[2];
};
static_assert(sizeof(OperationHead) == proto::max_prefix);

/// Prefix of `data`; it has the form of proto::Data, as parts are sent by Engine::send_part. `window` is the context.
/// The prefix of `answer` has the same form, with the answer's id.
struct Part {
  std::uint64_t id;
  std::uint64_t offset;
};
static_assert(sizeof(Part) == sizeof(proto::Data));

/// Prefix of `failed`.
struct AnswerFailed {
  std::uint64_t answer_id;
  std::int32_t error_class;
  std::uint32_t unused;
};

/// Prefix of `flushed` and `locked`.
struct Outcome {
  std::int32_t error_class;  ///< 0: nothing has failed
  std::uint32_t unused;
};

/// Prefix of `lock` and `unlock`.
struct LockMessage {
  std::uint32_t kind;
  std::uint32_t unused;
};

/// Prefix of `description`.
struct Description {
  std::uint64_t size;
  std::int64_t unit;
  std::uint64_t address;
};

}  // namespace bowline::rma
