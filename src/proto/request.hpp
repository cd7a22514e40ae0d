// SPDX-License-Identifier: BSD-3-Clause
// Requests: operations that have begun and not ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/completion.hpp"
#include "base/error.hpp"
#include "base/list.hpp"
#include "dtype/datatype.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Peer;

// The wildcards have the values of MPI_ANY_SOURCE and MPI_ANY_TAG in the standard ABI.
inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
inline constexpr int no_process = -3;

/// How an operation ended; what MPI_Status tells the user.
struct Status {
  int source = any_source;
  int tag = any_tag;
  ErrorClass error = ErrorClass::success;
  bool cancelled = false;
  std::size_t bytes = 0;
};

/// The user's memory on one side of a message.
struct Buffer {
  std::byte* base;
  std::size_t count;
  const dtype::Datatype* type;

  std::size_t bytes() const noexcept { return count * type->size(); }
};

/// What the user's handle points to. Owned by the engine's pools until the user has seen it end.
class Request : public ListNode, public Completion {
 public:
  enum class Role : std::uint8_t { send, receive };

  constexpr Request(Role role, std::uint32_t context) noexcept : role(role), context(context) {}

  static constexpr std::uint32_t alive = 0x51e5a11e;
  std::uint32_t mark = alive;  ///< tells a live handle from a stale one

  Role role;
  bool shared = false;    ///< stands for any number of operations that were done at once; never recycled
  bool detached = false;  ///< the user has freed the handle: recycle on completion
  std::uint32_t context;  ///< names the communicator whose error handler is called
  Status status;
  std::unique_ptr<Error> failure;  ///< why, if status.error says that the operation failed
};

/// A send that could not be finished inside the call that started it.
class SendRequest final : public Request {
 public:
  enum class Stage : std::uint8_t {
    queued,     ///< its first message waits for room
    announced,  ///< the receiver knows and has not answered
    streaming,  ///< its pieces are being sent
  };

  SendRequest(const transport::Header& header_, Peer& peer_) noexcept
      : Request(Role::send, header_.context), header(header_), peer(peer_) {}

  transport::Header header;
  Peer& peer;
  Stage stage = Stage::queued;
  const std::byte* data = nullptr;  ///< contiguous: the user's buffer, or `packed`
  std::size_t bytes = 0;
  std::size_t sent = 0;                 ///< while streaming
  std::uint64_t receive_id = 0;         ///< while streaming
  std::unique_ptr<std::byte[]> packed;  ///< a copy without holes, if the user's buffer has any
};

/// A receive that is posted, or is being filled.
class ReceiveRequest final : public Request {
 public:
  ReceiveRequest(std::uint32_t context_, int source_, int tag_, const Buffer& buffer_) noexcept
      : Request(Role::receive, context_), source(source_), tag(tag_), buffer(buffer_) {}

  bool accepts(const transport::Header& header) const noexcept {
    return (source == header.source || source == any_source) && (tag == header.tag || tag == any_tag);
  }

  int source;
  int tag;
  Buffer buffer;
  std::size_t expected = 0;             ///< bytes that will be stored
  std::size_t received = 0;             ///< bytes that have been stored
  std::byte* target = nullptr;          ///< where pieces go: the user's buffer, or `packed`
  std::unique_ptr<std::byte[]> packed;  ///< collects a long message for a buffer with holes
};

}  // namespace bowline::proto
