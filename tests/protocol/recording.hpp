// SPDX-License-Identifier: BSD-3-Clause
// A transport that records what is sent, refuses when told to, and delivers what a test crafts; and a fixture with an
// engine over it. The tests are the peers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/lock.hpp"
#include "base/wait.hpp"
#include "dtype/predefined.hpp"
#include "proto/engine.hpp"
#include "proto/services/partitioned.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

using Bytes = std::vector<std::byte>;

/// `count` bytes that differ from place to place and from seed to seed; none of them is 0xee.
Bytes pattern(std::size_t count, unsigned seed = 0);

/// Of point-to-point messages.
inline constexpr std::uint32_t test_context = make_context(1, 0, Purpose::point_to_point);

/// A message on the wire: `rank` is where it goes to, or where it comes from.
struct Message {
  int rank;
  transport::Header header;
  Bytes prefix;
  Bytes body;

  Kind kind() const { return static_cast<Kind>(header.kind); }
  template <class T>
  T read() const {
    EXPECT_EQ(prefix.size(), sizeof(T));
    return read_prefix<T>(prefix);
  }
};

class RecordingDevice final : public transport::Device {
 public:
  std::string_view name() const override { return "recording"; }
  transport::Address address() const override { return {}; }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  /// Delivers what waits. With nothing to deliver it takes the next step of the script; without one either, a blocking
  /// call would wait for ever: after some patience it ends the process.
  unsigned poll(transport::Sink& sink) noexcept override;
  bool ready() noexcept override {
    overlooked = false;
    return !arriving.empty();
  }
  void grow_to(int all) override {
    if (no_room_to_grow) throw std::bad_alloc();
    processes = all;
  }
  /// Ends the oldest access that has begun and not ended: the data move now, or not at all if there is a failure.
  void end_access(const Error* failure = nullptr);

  void deliver(int from, transport::Header header, std::span<const std::byte> body = {}) {
    arriving.push_back({from, header, {}, {body.begin(), body.end()}});
  }
  template <class Prefix>
  void deliver(int from, Kind kind, const Prefix& prefix, transport::Header header = {},
               std::span<const std::byte> body = {}) {
    const auto bytes = as_prefix(prefix);
    header.kind = static_cast<std::uint8_t>(kind);
    arriving.push_back({from, header, {bytes.begin(), bytes.end()}, {body.begin(), body.end()}});
  }

  transport::Limits limits{.max_body = 32 << 10, .max_prefix = 64, .single_copy_from = 0};
  std::vector<Message> sent;
  std::deque<Message> arriving;
  std::deque<std::function<void()>> script;  ///< what happens while a blocking call waits, step by step
  std::function<bool(int rank)> refuse;      ///< whether a send to this rank is answered with retry
  bool recording = true;                     ///< off: what is sent vanishes, without allocating
  bool lost = false;                         ///< what endpoints answer to that question
  int only_lost = -1;                        ///< the rank whose endpoint says yes nevertheless
  std::set<int> left;                        ///< the ranks that have said good-bye
  std::map<int, std::string> abandoned;      ///< the ranks that the engine has given up, and why; they are lost
  std::deque<Message> late;                  ///< arrives as soon as that question has been asked
  bool overlooked = false;                   ///< whether polls find nothing of what waits, until ready() looks
  int connections = 0;
  int processes = 0;             ///< the latest number that grow_to() was called with
  bool no_room_to_grow = false;  ///< whether grow_to() fails
  bool unreachable = false;      ///< whether first contact fails
  bool not_yet = false;          ///< whether it fails in a way that may pass

  // The peers' memory is this process's own.
  bool readable = true;                        ///< whether get() works
  bool writable = true;                        ///< whether put() works
  bool delayed = false;                        ///< whether accesses only begin, until end_access()
  std::string get_error;                       ///< if not empty, get() throws it
  std::string put_error;                       ///< if not empty, put() throws it
  Bytes key;                                   ///< what register_memory() gives
  Bytes asked_with;                            ///< the key of the latest access
  std::string expose_error;                    ///< if not empty, register_memory() throws it
  std::size_t registered_memory = 0;           ///< how often register_memory() was asked
  std::size_t gets = 0;                        ///< how often get() was asked
  std::size_t refused_from = ~std::size_t{0};  ///< how many of these work
  std::size_t puts = 0;                        ///< how often put() was asked
  std::vector<Bytes> deregistered;             ///< the keys that deregister() was called with, in order

  /// What was posted and has not ended. With `delayed` off a post is done at once, and stands among `sent` only.
  struct Posted {
    transport::Operation* operation;
    std::vector<iovec> runs;
    const std::byte* from() const { return static_cast<const std::byte*>(runs.front().iov_base); }
  };
  std::deque<Posted> posted;
  /// Ends the oldest one.
  void end_post(const Error* failure = nullptr);

  /// A message that the transport keeps until it is connected.
  struct Kept {
    Message message;
    transport::Operation* leaving;
  };
  std::deque<Kept> kept;
  bool connecting = false;  ///< whether endpoints cannot send yet, and keep messages; set limits.keeps with it
  /// What is kept leaves, or is lost if there is a failure.
  void end_connecting(const Error* failure = nullptr);

 private:
  friend class RecordingEndpoint;
  struct Begun {
    transport::Operation* operation;
    const std::byte* from;
    std::span<std::byte> to;
  };
  transport::Access access(const std::byte* from, std::span<std::byte> to, transport::Operation& operation);

  std::deque<Begun> begun_;
  int idle_polls_ = 0;
};

/// Rank 0 of four, with an engine that never sleeps.
class ProtocolTest : public testing::Test {
 protected:
  static constexpr std::uint32_t context = test_context;
  static constexpr std::byte untouched{0xee};
  static constexpr std::size_t long_bytes = 100'000;                ///< of a message that is announced
  static constexpr std::uint64_t their_id = 0xabcd'ef01'2345'6789;  ///< by which a peer calls its send

  ProtocolTest() {
    engine.add_device(device);
    engine.services().add(std::make_unique<PartitionedTable>(engine));
  }

  /// The header that the engine is given for a message, and that an eager message from a peer has.
  static transport::Header header(int source, int tag, std::uint32_t in_context = context) {
    return {.context = in_context, .source = source, .tag = tag};
  }
  static Buffer buffer(Bytes& bytes) { return {bytes.data(), bytes.size(), &dtype::byte_type()}; }

  /// The latest message that was sent, which is of this kind.
  const Message& latest(Kind kind) {
    EXPECT_FALSE(device.sent.empty());
    if (device.sent.empty()) throw std::out_of_range("nothing was sent");
    EXPECT_EQ(device.sent.back().kind(), kind);
    return device.sent.back();
  }
  /// Announces a message that lies in this process's memory, as a peer would.
  void offer(int from, int tag, const Bytes& memory, std::uint64_t send_id, std::span<const std::byte> key = {}) {
    const ReadyToSend offer{
        .address = reinterpret_cast<std::uint64_t>(memory.data()), .bytes = memory.size(), .send_id = send_id};
    device.deliver(from, Kind::ready_to_send, offer, header(from, tag), key);
  }
  /// Answers a clear_to_send as rank 1 would, with all pieces.
  void deliver_pieces_of(const Bytes& data, const ClearToSend& clear) {
    constexpr std::size_t piece = 9'000;
    for (std::size_t at = 0; at < clear.bytes; at += piece) {
      const std::span<const std::byte> part(data.data() + at, std::min<std::size_t>(piece, clear.bytes - at));
      device.deliver(1, Kind::data, Data{.receive_id = clear.receive_id, .offset = at}, header(1, 7), part);
    }
  }

  Request& isend(int to, int tag, Bytes& bytes) { return engine.isend(to, header(0, tag), buffer(bytes)); }
  Request& ireceive(int source, int tag, Bytes& bytes) {
    return engine.ireceive({context, source, tag}, buffer(bytes));
  }

  /// A send to rank 1, which has asked this process to write the data to its memory.
  Request& begin_put(Bytes& data, Bytes& theirs) {
    Request& send = isend(1, 7, data);
    const auto id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
    device.deliver(1, Kind::clear_to_put,
                   ClearToPut{.send_id = id,
                              .receive_id = 5,
                              .bytes = data.size(),
                              .address = reinterpret_cast<std::uint64_t>(theirs.data())});
    engine.progress();
    return send;
  }

  RecordingDevice device;
  OwnerLock lock;
  Engine engine{4, [this](int rank) { return device.connect(rank, {}); }, WaitPolicy{}, lock};
};

}  // namespace bowline::proto
