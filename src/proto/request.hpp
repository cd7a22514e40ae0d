// SPDX-License-Identifier: BSD-3-Clause
// Requests: pending operations, and persistent operations between two rounds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/completion.hpp"
#include "base/diagnosis/layout_of.hpp"
#include "base/error.hpp"
#include "base/failure.hpp"
#include "base/list.hpp"
#include "base/waits/wait_targets.hpp"
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

/// The outcome of an operation, from which the user's MPI_Status is filled.
struct Status {
  int source = any_source;
  int tag = any_tag;
  ErrorClass error = ErrorClass::success;
  bool cancelled = false;
  std::uint16_t mark = 0;  ///< the mark of the message's header
  std::size_t bytes = 0;
};

/// The user's memory on one side of a message.
struct Buffer {
  std::byte* base;
  std::size_t count;
  const dtype::Datatype* type;

  std::size_t bytes() const noexcept { return count * type->size(); }
  /// The first byte of the data; only for contiguous types.
  std::byte* data() const noexcept { return base + type->origin(); }
  /// The first byte of the data if they are one run of bytes; nullptr if they have holes.
  std::byte* run() const noexcept {
    if (type->contiguous()) return data();
    const bool one_run = count == 1 && type->layout().is_run() && type->section_of(base) == nullptr;
    return one_run ? base + type->layout().root().offset : nullptr;
  }
};

/// A Buffer that keeps its datatype alive, because the user may free the datatype while the operation is pending.
class HeldBuffer : public Buffer {
 public:
  explicit HeldBuffer(const Buffer& buffer) noexcept : Buffer(buffer) { type->retain(); }
  ~HeldBuffer() { type->release(); }
  HeldBuffer(const HeldBuffer&) = delete;
  HeldBuffer& operator=(const HeldBuffer&) = delete;
};

/// When a send completes. A ready send is treated as a standard send; a buffered send is a standard send of a copy.
enum class Mode : std::uint8_t {
  standard,
  synchronous,  ///< only after a receive has matched the message
};

/// What the user's handle points to. The engine's pools own sends and receives until the user has seen their
/// completion. Any thread may read `done`; all other members need the engine's lock.
class alignas(16) Request : public ListNode, public Completion {
 public:
  enum class Role : std::uint8_t { send, receive, special };

  constexpr Request(Role role, std::uint32_t context, bool done = false) noexcept
      : Completion{done, nullptr}, role(role), context(context) {}

  static constexpr std::uint32_t alive = 0x51e5a11e;
  static constexpr unsigned generations = 1 << 12;
  std::uint32_t mark = alive;  ///< distinguishes a live handle from a stale one

  Role role;
  bool shared = false;      ///< represents all operations that completed at once; never recycled
  bool detached = false;    ///< the user has freed the handle: recycle it on completion
  bool persistent = false;  ///< outlives its completion, and may be started again
  std::uint16_t generation =
      0;                   ///< distinguishes the request from earlier requests in the same memory; below `generations`
  bool lane_bound = true;  ///< completes under the lock of its lane, when a thread makes progress there
  bool active = true;      ///< false only for persistent requests between two rounds
  std::uint32_t context;   ///< identifies the communicator, for its error handler, and the lane
  Status status;
  Failure failure;  ///< the cause if status.error is not `success`

  /// Records why the operation failed; the first recorded failure remains.
  void fail(const Failure& why) noexcept {
    if (failure != nullptr) return;
    status.error = why->error_class();
    failure = why;
  }
};

/// The shared request of all operations that completed at once. Any number of users may hold its handle.
struct CompletedRequest final : Request {
  constexpr CompletedRequest() noexcept : Request(Role::send, 0, true) { shared = true; }
};
extern constinit CompletedRequest the_completed_request;
inline Request& completed_request() noexcept {
  return the_completed_request;
}

/// Is notified of the completion of a send without a request handle.
class SendObserver {
 public:
  /// `failure`: why the send failed; nullptr if it succeeded.
  virtual void send_ended(const Error* failure) noexcept = 0;

 protected:
  ~SendObserver() = default;
};

class SendRequest;

/// Counts the pieces of one message that the transport is sending without a copy. The send completes when all have been
/// sent.
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

/// A send that did not complete inside the call that started it, or a persistent send.
class SendRequest final : public Request {
 public:
  enum class Stage : std::uint8_t {
    queued,     ///< its first message waits for room in the transport
    announced,  ///< ready_to_send was sent; the receiver has not answered
    delivered,  ///< eager_synchronous was sent; the receiver has not reported a match
    streaming,  ///< its pieces are being sent
    putting,    ///< its data are being written to the receiver's memory
  };

  SendRequest(transport::Header header_, Peer& peer_, const Buffer& buffer_, Mode mode_) noexcept
      : Request(Role::send, header_.context), mode(mode_), header(header_), peer(peer_), buffer(buffer_) {}

  /// Whether the receiver knows of the send and must answer before it continues.
  bool unanswered() const noexcept { return stage == Stage::announced || stage == Stage::delivered; }
  /// Sets `data` to the data of the message if they have no holes.
  void locate_data() noexcept {
    bytes = buffer.bytes();
    data = buffer.run();
    packed.reset();
    packed_up_to = 0;
  }

  Mode mode;
  Stage stage = Stage::queued;
  bool asked_back = false;  ///< `cancel` was sent to the receiver
  bool in_part = false;     ///< while streaming: the receiver will ask for the rest
  transport::Header header;
  std::uint32_t piece = 0;  ///< while streaming: length of pieces in bytes that the receiver has asked for; 0: any
  Peer& peer;
  HeldBuffer buffer;
  std::uint64_t id = no_id;         ///< by which the receiver may name the send; no_id if it may not
  const std::byte* data = nullptr;  ///< of the whole message; nullptr if the data have holes
  std::size_t bytes = 0;            ///< bytes of the message; while streaming or putting, the requested bytes
  std::size_t sent = 0;             ///< while streaming: bytes handed to the transport
  std::size_t offset = 0;           ///< while streaming: position of `data` in the receiver's message
  std::uint64_t receive_id = 0;     ///< while streaming or putting
  SendObserver* observer = nullptr;
  std::unique_ptr<std::byte[]> packed;  ///< of a message with holes: all data, or the next piece
  std::size_t packed_up_to = 0;         ///< while streaming: where the packed piece ends
  std::unique_ptr<InFlight> in_flight;  ///< pieces of the message that the transport has not sent yet
  /// Key by which the receiver's adapter may read `data`. nullptr before the endpoint was asked for it; empty if the
  /// endpoint gives none.
  std::unique_ptr<std::vector<std::byte>> key;
};

/// Tag of the second link of a receive. It links a posted receive in the index of its queue, and a receive whose long
/// message arrives in the list of its sender.
struct PostedKey;

/// A receive that is posted, or that is filled with an announced message.
class ReceiveRequest final : public Request, public Link<PostedKey> {
 public:
  using ListNode::linked;  ///< whether it is posted

  ReceiveRequest(std::uint32_t context_, int source_, int tag_, const Buffer& buffer_) noexcept
      : Request(Role::receive, context_), source(source_), tag(tag_), buffer(buffer_) {}

  bool accepts(transport::Header header) const noexcept {
    return (source == header.source || source == any_source) && (tag == header.tag || tag == any_tag);
  }

  /// Whether a message has matched this receive and the data of that message are arriving.
  bool filled() const noexcept { return Link<PostedKey>::linked(); }

  int source;
  int tag;
  HeldBuffer buffer;
  /// While posted: its place in the posting order of its queue. While filled: the id by which the sender names it.
  std::uint64_t number;
  union {
    int process = -1;  ///< while posted: index of the sending process, if the directory cannot know it
    Peer* sender;      ///< while filled: the sender
  };
  // Members for a long message, once it has been announced:
  std::size_t expected;  ///< bytes that will be stored
  std::size_t received;  ///< bytes that have been stored
  std::byte* target;     ///< where to store them; nullptr if the data have holes
  /// Key by which the sender's adapter may write `target`, if the sender was given one.
  std::unique_ptr<std::vector<std::byte>> key;
};

/// Deregisters the memory of the request if it was registered with this endpoint.
template <class Keyed>
void deregister(Keyed& request, transport::Endpoint& endpoint) noexcept {
  if (request.key == nullptr) return;
  if (!request.key->empty()) endpoint.deregister(*request.key);
  request.key.reset();
}

/// A request that is neither a single send nor a single receive. Owns itself: dispose() deletes it.
class SpecialRequest : public Request {
 public:
  explicit SpecialRequest(std::uint32_t context) noexcept : Request(Role::special, context) { count(1); }
  /// Whether the communicator with this index may have special requests; false if it certainly has none.
  static bool any_of(std::uint32_t index) noexcept { return counter(index).load(std::memory_order_relaxed) > 0; }

  /// Whether several threads may create and delete requests at the same time. Set before the first request.
  static inline bool several_threads = false;

  /// Starts a round of a persistent operation.
  virtual void start(Engine&) {}
  /// Names the operation if MPI forbids cancelling it and freeing it while it is active; otherwise nullptr.
  virtual const char* bound() const noexcept { return nullptr; }
  /// What the request is and what it waits for, as request_in_words() says it. Called under the lock of the request's
  /// lane.
  virtual std::string in_words(Engine&) const { return "an operation"; }
  /// The ranks that must act before the operation completes. Called under the lock of the request's lane.
  virtual WaitTargets targets(Engine&) const { return {}; }
  /// The receive of which the operation consists, with other parts or without, and which has not completed; nullptr if
  /// there is none.
  virtual const Request* receive_under_way() const noexcept { return nullptr; }
  /// Tries to cancel the operation. Does nothing if that is not possible.
  virtual void cancel(Engine&) {}
  /// Called before the user sees the completion; may change status and failure. No lock is held.
  virtual void before_seen() {}
  /// Called before the request is recycled, after the user has seen its completion; may add a failure. No lock is held.
  virtual void before_gone() {}
  /// Called when the user has seen the completion, or has freed the handle and the operation has completed.
  virtual void dispose() noexcept { delete this; }

 protected:
  virtual ~SpecialRequest() { count(-1); }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  void count(int change) const noexcept {
    Atomic<int>& number = counter(index_of(context));
    if (several_threads) return static_cast<void>(number.fetch_add(change, std::memory_order_relaxed));
    number.store(number.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
  static Atomic<int>& counter(std::uint32_t index) noexcept { return counters[index % counters.size()]; }
  static inline std::array<Atomic<int>, 1024> counters{};  ///< shared by the indices that are equal modulo 1024
};

}  // namespace bowline::proto
