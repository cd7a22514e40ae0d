// SPDX-License-Identifier: BSD-3-Clause
// The interface that every transport implements: small ordered messages to a peer, and reading a peer's memory.
//
// A Device is this process's access to one kind of network; connect() makes an Endpoint to one peer. Messages on one
// endpoint arrive in the order they were sent, each exactly once. Sending never waits: it is done when the call returns
// or it must be tried again later. Everything here is called by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::transport {

/// What became of a send. `retry`: nothing was sent for want of room at the peer; poll, then try again.
enum class [[nodiscard]] Post : std::uint8_t{done, retry};

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

/// Where arriving messages go. The spans are valid only during the call. A sink may send, but must not poll.
class Sink {
 public:
  virtual void arrived(int peer, const Header& header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) = 0;

 protected:
  ~Sink() = default;
};

/// What an endpoint can do; constant for its life.
struct Limits {
  std::size_t max_body = 0;    ///< longest prefix and body of one message together, in bytes
  std::size_t max_prefix = 0;  ///< longest prefix, in bytes
  std::size_t get_from = 0;    ///< shortest message that is moved better by get() than in pieces, in bytes
};

/// The way to one peer.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Sends header, prefix and body as one message; all of them may be reused at once. The prefix is the protocol's own
  /// data, kept apart so that the body may be laid out for fast copying.
  virtual Post send(const Header& header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body) noexcept = 0;

  /// Copies `target.size()` bytes from `address` in the peer's memory; false if this peer's memory cannot be read that
  /// way (then it never can). Throws Error if the address is not readable.
  virtual bool get(std::uintptr_t address, std::span<std::byte> target) = 0;

  const Limits& limits() const noexcept { return limits_; }

 protected:
  explicit Endpoint(const Limits& limits) noexcept : limits_(limits) {}

 private:
  Limits limits_;
};

/// Opaque bytes by which a peer's device can be reached; published through the wire-up.
using Address = std::vector<std::byte>;

class Device {
 public:
  virtual ~Device() = default;

  virtual std::string_view name() const = 0;
  virtual Address address() const = 0;
  /// Makes an endpoint to world rank `peer`, whose device of the same kind published `address`. Throws Error.
  virtual std::unique_ptr<Endpoint> connect(int peer, const Address& address) = 0;
  /// Hands over what has arrived, at most a bounded amount per call; returns the number of messages.
  virtual unsigned poll(Sink& sink) = 0;
  /// Whether messages arrive from other processes, so that one can sleep until they do.
  virtual bool can_sleep() const = 0;
  /// Blocks until something may have arrived, or about `milliseconds` have passed. May return early. Only if
  /// can_sleep().
  virtual void sleep(int milliseconds) = 0;
};

}  // namespace bowline::transport
