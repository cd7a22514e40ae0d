// SPDX-License-Identifier: BSD-3-Clause
// The interface that every transport implements: small ordered messages to a peer, and reading a peer's memory.
//
// A Device is this process's access to one kind of network; connect() makes an Endpoint to one peer. Messages on one
// endpoint arrive in the order they were sent, each exactly once. Sending never waits: it is done when the call returns
// or it must be tried again later. A device and its endpoints are called by one thread at a time.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/failure.hpp"

namespace bowline::transport {

/// What became of a send. `retry`: nothing was sent for want of room at the peer; poll, then try again. `begun`: the
/// body is in use until the operation hears of the end; send() never says so.
enum class [[nodiscard]] Post : std::uint8_t{done, retry, begun};

/// The fixed part of every message, carried unread by transports. 16 bytes, so that with a transport's own 8 bytes a
/// message of up to 40 bytes fits one cache line.
struct Header {
  std::uint32_t context = 0;  ///< which communicator, and whether point-to-point or collective
  std::int32_t source = 0;    ///< the sender's rank in that communicator
  std::int32_t tag = 0;
  std::uint8_t kind = 0;  ///< what the protocol engine does with it
  std::uint8_t unused[3] = {};
};
static_assert(sizeof(Header) == 16);

/// First contact with a peer has failed, and may not fail if it is tried again soon.
class NotYet final : public Error {
 public:
  using Error::Error;
};

/// Where arriving messages go. The spans are valid only during the call. A sink may send, but must not poll.
class Sink {
 public:
  /// Throws nothing but NotYet: then it has changed nothing, and is given the same message once more by the next poll.
  virtual void arrived(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) = 0;
  /// Messages of this peer are lost: the device cannot receive from it, and says why.
  virtual void broken(int peer, const Failure& why) noexcept = 0;

 protected:
  ~Sink() = default;
};

/// Lengths from which on a way of moving data pays; `never` where it does not exist.
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// The greatest `max_iov` of any endpoint.
inline constexpr std::size_t most_iov = 16;

/// What an endpoint can do; constant for its life. Lengths in bytes.
struct Limits {
  std::size_t max_body = 0;         ///< longest prefix and body of one message together
  std::size_t max_prefix = 0;       ///< longest prefix
  std::size_t inline_body = 0;      ///< longest body that travels with its header in one cache line or packet
  std::size_t eager_limit = never;  ///< longest message to send unasked, by send() or post(); `never`: what suits all
  std::size_t max_posted = 0;       ///< longest body of post(); 0 where it pays for none
  std::size_t max_iov = 1;          ///< of how many runs of memory that body may consist
  std::size_t attach_from = never;  ///< shortest message that get() should fetch without a key
  std::size_t get_from = never;     ///< shortest message that get() should fetch, with a key
  std::size_t put_from = never;     ///< shortest message that put() should write
};

/// Memory of a peer: its address there, and the key that the peer gave for it (empty where none is needed).
struct Remote {
  std::uintptr_t address = 0;
  std::span<const std::byte> key;
};

/// Hears of the end of an access or a send that has begun, from within Device::poll.
class Operation {
 public:
  /// `failure` is nullptr if the data are where they should be, or the body of a send may be used again.
  virtual void ended(const Error* failure) noexcept = 0;

 protected:
  ~Operation() = default;
};

/// What became of an access to a peer's memory. `begun`: the operation will hear of its end. `refused`: this peer's
/// memory cannot be reached that way, now or ever.
enum class [[nodiscard]] Access : std::uint8_t{done, begun, refused};

/// The way to one peer.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Sends header, prefix and body as one message; all of them may be reused at once. The prefix is the protocol's own
  /// data, kept apart so that the body may be laid out for fast copying.
  virtual Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept = 0;

  /// The same without a copy of the body, which is these runs of memory, one behind the other: one at least, at most
  /// `max_iov`, and `max_posted` bytes in all. If the answer is `begun` the operation hears of the end, once for every
  /// time that it was given. Header, prefix and the list itself may be reused at once.
  virtual Post post(Header, std::span<const std::byte>, std::span<const iovec>, Operation&) noexcept {
    return Post::retry;
  }

  /// The key under which the peer may get from, or put to, this memory of ours; empty if it needs none. Valid until
  /// deregister() is called with it.
  virtual std::vector<std::byte> register_memory(std::span<const std::byte>) { return {}; }
  /// The transfer that this key was made for has ended.
  virtual void deregister(std::span<const std::byte>) noexcept {}
  /// Copies `target.size()` bytes out of the peer's memory. Throws Error if the address is not readable.
  virtual Access get(const Remote&, std::span<std::byte>, Operation&) { return Access::refused; }
  /// Copies `source` into the peer's memory. Throws Error if the address is not writable.
  virtual Access put(std::span<const std::byte>, const Remote&, Operation&) { return Access::refused; }
  /// Wakes the peer if it sleeps: for those who have told it something by other means than a message.
  virtual void wake() noexcept {}
  /// Whether the peer is known to have ended, or cannot be reached any more: nothing sent from now on will be received.
  virtual bool lost() noexcept { return false; }
  /// Whether the peer has ended its communication as it should: it sends and receives nothing any more, and has failed
  /// nobody.
  virtual bool left() noexcept { return false; }
  /// Whether it has begun to: what it has sent may still be on its way, its program receives nothing any more.
  virtual bool ends() noexcept { return left(); }
  /// Whether left() tells that by itself, so that the peer need not be asked.
  virtual bool shows_end() const noexcept { return false; }
  /// Where the peer is and why it is lost, to follow its rank in a sentence; empty if nothing is known.
  virtual std::string loss() const { return {}; }

  const Limits& limits() const noexcept { return limits_; }

 protected:
  explicit Endpoint(const Limits& limits) noexcept : limits_(limits) {}

 private:
  Limits limits_;
};

/// Opaque bytes by which a peer's device can be reached; published through the wire-up.
using Address = std::vector<std::byte>;

/// Sleeping until a message arrives from another process. One per process and kind of network; threads may sleep at the
/// same time.
class Sleeper {
 public:
  /// Says that a thread is about to sleep; after it, it must look once more for messages, then sleep() or withdraw().
  virtual void announce() noexcept = 0;
  virtual void withdraw() noexcept = 0;
  /// Blocks until a message may have arrived, wake() was called, or about `milliseconds` have passed. May return early.
  virtual void sleep(int milliseconds) noexcept = 0;
  /// Wakes all threads of this process that sleep or have announced it.
  virtual void wake() noexcept = 0;

 protected:
  ~Sleeper() = default;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string_view name() const = 0;
  virtual Address address() const = 0;
  /// Makes an endpoint to world rank `peer`, whose device of the same kind published `address`. Throws Error, NotYet if
  /// that may help.
  virtual std::unique_ptr<Endpoint> connect(int peer, const Address& address) = 0;
  /// Hands over what has arrived, at most a bounded amount per call; returns the number of messages. Throws nothing:
  /// whatever fails concerns a peer, of which the sink is told.
  virtual unsigned poll(Sink& sink) noexcept = 0;
  /// Whether poll() would find something. False after a sleep has been announced: the sleeper wakes when that changes.
  virtual bool ready() noexcept { return false; }
  /// Whether everything sent has left this process for good. If not, poll and ask again.
  virtual bool drained() noexcept { return true; }
  /// How many peers were lost, as far as it is known here.
  virtual unsigned lost_peers() const noexcept { return 0; }
  /// Becomes readable when something happens after ready() has said no; below 0 if there is no such descriptor.
  virtual int descriptor() const noexcept { return -1; }
  /// How this process sleeps until something arrives here; nullptr if it cannot.
  virtual Sleeper* sleeper() noexcept { return nullptr; }
};

}  // namespace bowline::transport
