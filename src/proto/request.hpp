// SPDX-License-Identifier: BSD-3-Clause
// Requests: operations that have begun and not ended, and persistent ones between two rounds.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/completion.hpp"
#include "base/error.hpp"
#include "base/failure.hpp"
#include "base/list.hpp"
#include "dtype/datatype.hpp"
#include "dtype/layout.hpp"
#include "proto/context.hpp"
#include "proto/id_table.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Engine;
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
  /// Where the data are, if the type is contiguous.
  std::byte* data() const noexcept { return base + type->origin(); }
  /// Where the data are, if they are one run of bytes; nullptr if there are holes between them.
  std::byte* run() const noexcept {
    if (type->contiguous()) return data();
    return count == 1 && type->layout().is_run() ? base + type->layout().root().offset : nullptr;
  }
};

/// The same, and keeps its datatype alive: the user may free it while the message is under way.
class HeldBuffer : public Buffer {
 public:
  explicit HeldBuffer(const Buffer& buffer) noexcept : Buffer(buffer) { type->retain(); }
  ~HeldBuffer() { type->release(); }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
};

/// When a send is over. A ready send is a standard one; a buffered one is a standard one from a copy.
enum class Mode : std::uint8_t {
  standard,
  synchronous,  ///< not before a receive has matched the message
};

/// What the user's handle points to. Sends and receives are owned by the engine's pools until the user has seen them
/// end. `done` may be read without the engine's lock; everything else needs it.
class alignas(16) Request : public ListNode, public Completion {
 public:
  enum class Role : std::uint8_t { send, receive, special };

  constexpr Request(Role role, std::uint32_t context, bool done = false) noexcept
      : Completion{done, nullptr}, role(role), context(context) {}

  static constexpr std::uint32_t alive = 0x51e5a11e;
  static constexpr unsigned generations = 1 << 12;
  std::uint32_t mark = alive;  ///< tells a live handle from a stale one

  Role role;
  bool shared = false;           ///< stands for any number of operations that were done at once; never recycled
  bool detached = false;         ///< the user has freed the handle: recycle on completion
  bool persistent = false;       ///< outlives its completion, and may be started again
  std::uint16_t generation = 0;  ///< tells the request from those that lived in its memory before; below `generations`
  bool lane_bound = true;        ///< ends under the lock of its lane, while someone makes progress there
  bool active = true;            ///< between start and the call that completes it; false of idle persistent ones only
  std::uint32_t context;         ///< names the communicator whose error handler is called, and the lane
  Status status;
  Failure failure;  ///< why, if status.error says that the operation failed
};

/// The request of every operation that was done at once. Its handle may be given to any number of users.
struct CompletedRequest final : Request {
  constexpr CompletedRequest() noexcept : Request(Role::send, 0, true) { shared = true; }
};
extern constinit CompletedRequest the_completed_request;
inline Request& completed_request() noexcept {
  return the_completed_request;
}

/// Hears of the end of a send whose request nobody holds.
class SendObserver {
 public:
  /// `failure` says why it failed; nullptr if it did not.
  virtual void send_ended(const Error* failure) noexcept = 0;

 protected:
  ~SendObserver() = default;
};

class SendRequest;

/// The pieces of one message that the transport sends from where they lie: the message is over when they have left.
class InFlight final : public transport::Operation {
 public:
  InFlight(Engine& engine, SendRequest& send) noexcept : engine_(engine), send_(send) {}

  void add() noexcept { ++pieces_; }
  bool none() const noexcept { return pieces_ == 0; }
  void ended(const Error* failure) noexcept override;

 private:
  Engine& engine_;
  SendRequest& send_;
  unsigned pieces_ = 0;
};

/// A send that could not be finished inside the call that started it, or a persistent one.
class SendRequest final : public Request {
 public:
  enum class Stage : std::uint8_t {
    queued,     ///< its first message waits for room
    announced,  ///< the receiver has been offered it and has not answered
    delivered,  ///< the receiver has its data and has not said that they are matched
    streaming,  ///< its pieces are being sent
    putting,    ///< the receiver waits for it to be written
  };

  SendRequest(transport::Header header_, Peer& peer_, const Buffer& buffer_, Mode mode_) noexcept
      : Request(Role::send, header_.context), mode(mode_), header(header_), peer(peer_), buffer(buffer_) {}

  /// Whether the receiver knows of it, and has to say when or how it goes on.
  bool unanswered() const noexcept { return stage == Stage::announced || stage == Stage::delivered; }

  Mode mode;
  Stage stage = Stage::queued;
  bool asked_back = false;  ///< the receiver has been asked to forget it
  transport::Header header;
  Peer& peer;
  HeldBuffer buffer;
  std::uint64_t id = no_id;         ///< by which the receiver speaks of it, as long as it may do so
  const std::byte* data = nullptr;  ///< of the whole message; nullptr if there are holes between them
  std::size_t bytes = 0;            ///< of the whole message; while streaming or putting, those asked for
  std::size_t sent = 0;             ///< while streaming
  std::size_t offset = 0;           ///< while streaming: of `data` in the receiver's message
  std::uint64_t receive_id = 0;     ///< while streaming or putting
  SendObserver* observer = nullptr;
  std::unique_ptr<std::byte[]> packed;  ///< of a message with holes: all of it, or the piece that is sent next
  std::size_t packed_up_to = 0;         ///< while streaming: where that piece ends
  std::unique_ptr<InFlight> in_flight;  ///< what was posted, of a message that is sent without copying it
  /// Of `data`, for the receiver's adapter, once the endpoint was asked for it; empty if it gives none.
  std::unique_ptr<std::vector<std::byte>> key;
};

/// Tags the link by which a posted receive stands in the index of its queue; and one whose long message comes, among
/// those of its sender.
struct PostedKey;

/// A receive that is posted, or is being filled.
class ReceiveRequest final : public Request, public Link<PostedKey> {
 public:
  using ListNode::linked;  ///< whether it is posted

  ReceiveRequest(std::uint32_t context_, int source_, int tag_, const Buffer& buffer_) noexcept
      : Request(Role::receive, context_), source(source_), tag(tag_), buffer(buffer_) {}

  bool accepts(transport::Header header) const noexcept {
    return (source == header.source || source == any_source) && (tag == header.tag || tag == any_tag);
  }

  /// Whether it has been taken out of its queue and its long message comes.
  bool filled() const noexcept { return Link<PostedKey>::linked(); }

  int source;
  int tag;
  HeldBuffer buffer;
  /// While it is posted: when it was, among the receives of its queue. While it is filled: by which id the sender
  /// speaks of it.
  std::uint64_t number;
  Peer* sender;  ///< while it is filled
  // Of a long message, once it has been announced:
  std::size_t expected;  ///< bytes that will be stored
  std::size_t received;  ///< bytes that have been stored
  std::byte* target;     ///< where they belong; nullptr if there are holes between them
  /// Of `target`, for the sender's adapter, if it was given one.
  std::unique_ptr<std::vector<std::byte>> key;
};

/// A request that is neither one send nor one receive. Owned by itself: dispose() ends its life.
class SpecialRequest : public Request {
 public:
  explicit SpecialRequest(std::uint32_t context) noexcept : Request(Role::special, context) { count(1); }
  /// Whether the communicator with this index may have any; false if it certainly has none.
  static bool any_of(std::uint32_t index) noexcept { return counter(index).load(std::memory_order_relaxed) > 0; }

  /// Whether threads may make and end requests at the same time. To be set before the first request.
  static inline bool several_threads = false;

  /// Begins a round of a persistent operation.
  virtual void start(Engine&) {}
  /// What it is, if MPI allows neither to cancel it nor to free it while it is active; else nullptr.
  virtual const char* bound() const noexcept { return nullptr; }
  /// Tries to end it early; nothing if it cannot be.
  virtual void cancel(Engine&) {}
  /// Its end is about to be shown to the user; may change status and failure. Called without any lock.
  virtual void before_seen() {}
  /// It is about to be given back because the user has seen its end; may add a failure. Called without any lock.
  virtual void before_gone() {}
  /// The user has seen its end, or has freed its handle and it has ended.
  virtual void dispose() noexcept { delete this; }

 protected:
  virtual ~SpecialRequest() { count(-1); }

 private:
  void count(int change) const noexcept {
    std::atomic<int>& number = counter(index_of(context));
    if (several_threads) return static_cast<void>(number.fetch_add(change, std::memory_order_relaxed));
    number.store(number.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
  static std::atomic<int>& counter(std::uint32_t index) noexcept { return counters[index % counters.size()]; }
  static inline std::array<std::atomic<int>, 1024> counters{};  ///< shared by the indices that are equal modulo 1024
};

}  // namespace bowline::proto
