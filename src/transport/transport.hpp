// SPDX-License-Identifier: BSD-3-Clause
// The interface that every transport implements: short ordered messages to a peer, and access to a peer's memory.
//
// A Device is this process's access to one kind of network; connect() makes an Endpoint to one peer. Messages on one
// endpoint arrive in the order in which they were sent, each exactly once. Sending never waits: when the call returns,
// the send is completed or begun, or the caller must try again later. Only one thread at a time may call a device and
// its endpoints.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "base/nearness.hpp"

namespace bowline::transport {

/// The result of a send. `done`: the body may be reused. `retry`: nothing was sent, because the peer has no room; poll,
/// then try again. `begun`: the message leaves this process later, and Operation::ended() is called then; until then
/// post() uses the body. send() never returns this.
enum class [[nodiscard]] Post : std::uint8_t{done, retry, begun};

/// The fixed part of every message; transports do not interpret it. The header has 16 bytes, so that with a transport's
/// own 8 bytes a message of up to 40 bytes fits one cache line.
struct Header {
  std::uint32_t context = 0;  ///< context id: the communicator, and the purpose of the message there
  std::int32_t source = 0;    ///< the sender's rank in that communicator
  std::int32_t tag = 0;
  std::uint8_t kind = 0;        ///< kind of message, for the protocol engine
  std::uint8_t flags[1] = {0};  ///< for the protocol engine, like `kind`; an array, because otherwise g++ 12 takes a
                                ///< passed header apart and puts it together again
  std::uint16_t mark = 0;       ///< for whoever uses the context; the receiver finds it in the status of its receive
};
static_assert(sizeof(Header) == 16);

/// A message cannot be taken, or a connection cannot be established, now, but may soon be.
class NotYet final : public Error {
 public:
  using Error::Error;
};

/// Receives arriving messages. The spans are valid only during the call. A sink may send, but must not poll.
class Sink {
 public:
  /// Throws nothing but NotYet. If it throws, it has changed nothing, and the next poll delivers the message again.
  virtual void arrived(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) = 0;
  /// Messages of this peer are lost, because the device cannot receive from it any more; `why` is the reason.
  virtual void broken(int peer, const Failure& why) noexcept = 0;

 protected:
  ~Sink() = default;
};

/// The value of a length in Limits for something that the endpoint does not support.
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// What open_memory() and the accesses to opened memory are worth. `emulated`: the peer must poll for them to proceed.
/// `native`: an adapter executes them by itself.
enum class RemoteAccess : std::uint8_t { none, emulated, native };

/// Every endpoint to another process takes a prefix and a body of this many bytes together, whatever the tunables say.
inline constexpr std::size_t least_max_body = 1024;

/// The greatest `max_iov` of any endpoint.
inline constexpr std::size_t most_iov = 16;

/// What an endpoint can do; constant for its life. Lengths in bytes.
struct Limits {
  std::size_t max_body = 0;              ///< longest prefix and body of one message together
  std::size_t max_prefix = 0;            ///< longest prefix
  std::size_t inline_body = 0;           ///< longest body that travels with its header in one cache line or packet
  std::size_t eager_limit = never;       ///< longest message to send eagerly; `never`: the default of the protocol
  std::size_t max_posted = 0;            ///< longest body of post(); 0 if post() should not be used
  std::size_t long_body = 0;             ///< longest body of send_long(); 0 if there is no such send
  std::size_t max_iov = 1;               ///< most runs of memory in the iov list of post()
  std::size_t single_copy_from = never;  ///< shortest message that get() should fetch without a key; get() and put()
                                         ///< without a key end before they return
  std::size_t get_from = never;          ///< shortest message that get() should fetch, with a key
  std::size_t put_from = never;          ///< shortest message that put() should write
  std::size_t put_blocks_from = never;  ///< shortest block, on average, that put() should write of a message with holes
  bool keeps = false;                   ///< whether send_or_keep() may keep messages
  bool travels = false;   ///< whether messages may be under way for a time; the device counts them (Device::traffic())
  bool measured = false;  ///< whether announced messages should take the path that is measured to be the fastest: in
                          ///< pieces of max_body or long_body, or by get() and put() without a key
  RemoteAccess access = RemoteAccess::none;   ///< puts and gets to opened memory
  RemoteAccess atomics = RemoteAccess::none;  ///< atomic operations there
};

/// Memory of a peer: its address there, and the key that the peer has given for it (empty if none is needed).
struct Remote {
  std::uintptr_t address = 0;
  std::span<const std::byte> key;
};

/// Notified from within Device::poll when an access or a send that has begun is completed.
class Operation {
 public:
  /// `failure` is nullptr on success: the data of an access are in place, or the body of a send may be reused.
  virtual void ended(const Error* failure) noexcept = 0;

 protected:
  ~Operation() = default;
};

/// The result of an access to a peer's memory. `done`: the access is completed. `begun`: Operation::ended() will be
/// called. `refused`: nothing was done, and the caller must move the data by other means.
enum class [[nodiscard]] Access : std::uint8_t{done, begun, refused};

enum class AtomicKind : std::uint8_t { add, bit_and, bit_or, bit_xor, swap, compare_swap };

/// An atomic operation on a number of four or eight bytes in a peer's memory, whose address is a multiple of its
/// length.
struct RemoteAtomic {
  AtomicKind kind;
  std::uint8_t bytes;
  std::uint64_t operand;  ///< its low bytes, as many as the number has
  std::uint64_t compare;  ///< compare_swap replaces this value only
};

/// Memory of a peer that was opened for many accesses. It must be destroyed before its endpoint.
///
/// The functions do not refuse an access. The functions do not check addresses: an address outside of the memory may
/// end the connection. The functions throw Error if the peer is lost. Accesses may overtake each other, but for atomic
/// operations on one number, which are executed in order.
class PeerMemory {
 public:
  virtual ~PeerMemory() = default;
  /// Copies `target.size()` bytes from that address in the peer.
  virtual Access get(std::uint64_t address, std::span<std::byte> target, Operation& operation) = 0;
  /// Copies `source` to `address` in the peer. The end of the operation means that the source may be reused.
  virtual Access put(std::span<const std::byte> source, std::uint64_t address, Operation& operation) = 0;
  /// Executes an atomic operation at `address`. Stores the former value in as many bytes at `old`, unless that is
  /// nullptr; the end of the operation means that the value is there.
  virtual Access atomic(const RemoteAtomic& what, std::uint64_t address, void* old, Operation& operation) = 0;
};

/// The connection to one peer.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Sends header, prefix and body as one message; all three may be reused when the call returns, and the message
  /// arrives although this process does not poll any more. The prefix holds the protocol's own data. It is separate so
  /// that the body may be laid out for fast copying. If the endpoint `keeps` messages, long ones may never find room.
  virtual Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept = 0;
  /// Like send(), but where there is no room the endpoint may keep a copy of the message, which a later poll sends.
  /// Then the result is `begun`, and `sent`, unless it is nullptr, is notified when the message has left this process.
  virtual Post send_or_keep(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body,
                            Operation* /*sent*/) noexcept {
    return send(header, prefix, body);
  }

  /// Like send(), for a body of up to `long_body` bytes and a prefix of at most 16, to a peer that has called
  /// takes_long(). Sends the beginning of the body alone if there is no room for more and there will be none soon.
  /// Returns the number of bytes sent; 0 means `retry`.
  virtual std::size_t send_long(Header, std::span<const std::byte>, std::span<const std::byte>) noexcept { return 0; }
  /// Whether this process can receive what the peer sends by send_long(). Prepares for it at the first call.
  virtual bool takes_long() noexcept { return false; }

  /// Sends a message without a copy of its body. The body is the concatenation of the runs of memory in the iov list:
  /// at least one run, at most `max_iov` runs, and at most `max_posted` bytes in all. If the result is `begun`, the
  /// operation is notified of the completion; an operation may be given to several sends, and is then notified once for
  /// each. Header, prefix and the list itself may be reused when the call returns.
  virtual Post post(Header, std::span<const std::byte>, std::span<const iovec>, Operation&) noexcept {
    return Post::retry;
  }

  /// Registers memory of this process. Returns the key with which the peer may get from the memory or put to it; empty
  /// if none is needed. The key is valid until deregister() is called with it.
  virtual std::vector<std::byte> register_memory(std::span<const std::byte>) { return {}; }
  /// Deregisters the memory of this key, whose transfer has ended.
  virtual void deregister(std::span<const std::byte>) noexcept {}
  /// Copies `target.size()` bytes out of the peer's memory. Throws Error if the address is not readable.
  virtual Access get(const Remote&, std::span<std::byte>, Operation&) { return Access::refused; }
  /// Copies `source` into the peer's memory. Throws Error if the address is not writable.
  virtual Access put(std::span<const std::byte>, const Remote&, Operation&) { return Access::refused; }
  /// The number of processes that get() from the peer's memory at this moment, as far as it is known.
  virtual unsigned readers() const noexcept { return 0; }
  /// What hardware this process shares with the peer. May take as long as reading a file.
  virtual Nearness nearness() noexcept { return Nearness::unknown; }

  // ---- memory of the peer for many accesses: one-sided communication

  /// Registers memory of this process for open_memory(), and returns the key, by which any peer of the endpoint's
  /// device may open it. It is valid until deregister() is called with it. Empty if `limits().access` is none. Throws
  /// Error.
  virtual std::vector<std::byte> register_window(std::span<const std::byte>) { return {}; }
  /// Opens memory of the peer by the key that its register_window() gave. nullptr if `limits().access` is none. Throws
  /// Error.
  virtual std::unique_ptr<PeerMemory> open_memory(std::span<const std::byte>) { return nullptr; }
  /// Ends when everything that was put into opened memory of the peer, and the atomic operations there, have arrived.
  virtual Access flush(Operation&) { return Access::done; }

  /// Whether an access that begins now is under way at once; otherwise it waits until the peer has answered.
  virtual bool connected() noexcept { return true; }

  /// Wakes the peer if it sleeps. Callers that have written something for the peer without sending a message need this.
  virtual void wake() noexcept {}
  /// Whether the peer is known to have ended, or cannot be reached any more, so that nothing sent from now on will be
  /// received.
  virtual bool lost() noexcept { return false; }
  /// Gives the peer up, because its node does not answer any more: from now on lost() is true, and what is under way
  /// fails. `why` says more, in an error message after the peer's name.
  virtual void abandon(const std::string&) noexcept {}
  /// Whether the peer has ended its communication properly: it neither sends nor receives any more, and is not lost.
  virtual bool left() noexcept { return false; }
  /// Whether that holds for good: no session of the peer's process will communicate either. Meaningful if left().
  virtual bool exits() noexcept { return left(); }
  /// Whether the peer has begun to end its communication: its program receives nothing any more, but messages that it
  /// has sent may still be under way.
  virtual bool ends() noexcept { return left(); }
  /// Whether left() becomes true by itself; otherwise the peer must be asked whether it has ended.
  virtual bool shows_end() const noexcept { return false; }
  /// Where the peer is and why it is lost, as text that follows the peer's rank in an error message; empty if nothing
  /// is known.
  virtual std::string loss() const { return {}; }

  const Limits& limits() const noexcept { return limits_; }

 protected:
  explicit Endpoint(const Limits& limits) noexcept : limits_(limits) {}

 private:
  Limits limits_;
};

/// Opaque bytes by which a peer's device can be reached; published through the wire-up.
using Address = std::vector<std::byte>;

/// Sleeps until a message arrives from another process. One per process and kind of network; several threads may sleep
/// at the same time.
class Sleeper {
 public:
  /// Announces that a thread is about to sleep. The thread must then look once more for messages, and call sleep() or
  /// withdraw().
  virtual void announce() noexcept = 0;
  virtual void withdraw() noexcept = 0;
  /// Blocks until a message may have arrived, wake() was called, or about `milliseconds` have passed. May return early.
  virtual void sleep(int milliseconds) noexcept = 0;
  /// Wakes all threads of this process that sleep or have announced that they will.
  virtual void wake() noexcept = 0;

 protected:
  ~Sleeper() = default;
};

/// What a device has under way.
struct Traffic {
  // Messages that may be under way for a time after they have been sent:
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;  ///< to the sink
  bool accesses = false;        ///< accesses to the memory of peers have begun and not ended
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string_view name() const = 0;
  virtual Address address() const = 0;
  /// Whether this device can reach the device that has published this address; that device gives the same answer.
  /// Throws Error if the bytes are damaged.
  virtual bool reaches(std::span<const std::byte> /*address*/) const { return true; }
  /// Makes an endpoint to world rank `peer`, whose device of the same kind published `address`. Throws Error; NotYet if
  /// another attempt may succeed.
  virtual std::unique_ptr<Endpoint> connect(int peer, const Address& address) = 0;
  /// Delivers arrived messages to the sink, at most a bounded number per call, and notifies completed operations.
  /// Returns the number of both. Throws nothing: every failure concerns one peer, and the sink is notified of it.
  virtual unsigned poll(Sink& sink) noexcept = 0;
  /// Raises the number of processes; the new ones belong to another job. From now on their messages may arrive. Throws
  /// std::bad_alloc; the call may then be repeated.
  virtual void grow_to(int /*processes*/) {}
  /// `peer`, a process of another job, knows this process by the index `self`. Call before any connection to it.
  virtual void known_as(int /*peer*/, int /*self*/) noexcept {}
  /// Whether the next polls find something, also where a poll looks only from time to time. If it returns false after a
  /// sleep was announced, the sleeper wakes when poll() would find something.
  virtual bool ready() noexcept { return false; }
  /// Whether everything sent has left this process for good. If not, poll and call again.
  virtual bool drained() noexcept { return true; }
  /// What this device has under way; nothing if the next poll of the peer finds whatever was sent, and accesses end at
  /// once, as in shared memory.
  virtual std::optional<Traffic> traffic() noexcept { return {}; }
  /// The number of lost peers that this device knows of.
  virtual unsigned lost_peers() const noexcept { return 0; }
  /// A descriptor that becomes readable when something happens after ready() has returned false; negative if there is
  /// none.
  virtual int descriptor() const noexcept { return -1; }
  /// The sleeper that wakes when something arrives at this device; nullptr if there is none.
  virtual Sleeper* sleeper() noexcept { return nullptr; }
};

}  // namespace bowline::transport
