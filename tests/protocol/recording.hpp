// SPDX-License-Identifier: BSD-3-Clause
// A transport that records what is sent, refuses when told to, and delivers what a test crafts; and a fixture with an
// engine over it. The tests are the peers.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/lock.hpp"
#include "base/wait.hpp"
#include "dtype/predefined.hpp"
#include "proto/engine.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

using Bytes = std::vector<std::byte>;

/// `count` bytes that differ from place to place and from seed to seed; none of them is 0xee.
Bytes pattern(std::size_t count, unsigned seed = 0);

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
  /// call would wait for ever: after some patience it throws.
  unsigned poll(transport::Sink& sink) override;
  bool can_sleep() const override { return false; }
  void sleep(int) override {}

  void deliver(int from, const transport::Header& header, std::span<const std::byte> body = {}) {
    arriving.push_back({from, header, {}, {body.begin(), body.end()}});
  }
  template <class Prefix>
  void deliver(int from, Kind kind, const Prefix& prefix, transport::Header header = {},
               std::span<const std::byte> body = {}) {
    const auto bytes = as_prefix(prefix);
    header.kind = static_cast<std::uint8_t>(kind);
    arriving.push_back({from, header, {bytes.begin(), bytes.end()}, {body.begin(), body.end()}});
  }

  transport::Limits limits{.max_body = 32 << 10, .max_prefix = 64};
  std::vector<Message> sent;
  std::deque<Message> arriving;
  std::deque<std::function<void()>> script;  ///< what happens while a blocking call waits, step by step
  std::function<bool(int rank)> refuse;      ///< whether a send to this rank is answered with retry
  bool recording = true;                     ///< off: what is sent vanishes, without allocating
  bool readable = true;                      ///< whether get() works; if so it reads this process's memory
  std::string get_error;                     ///< if not empty, get() throws it
  std::size_t gets = 0;                      ///< how often get() was asked
  int connections = 0;

 private:
  int idle_polls_ = 0;
};

/// Rank 0 of four, with an engine that never sleeps.
class Protocol : public testing::Test {
 protected:
  static constexpr std::uint32_t context = 4;
  static constexpr std::byte untouched{0xee};

  Protocol() { engine.add_device(device); }

  /// The header that the engine is given for a message, and that an eager message from a peer has.
  static transport::Header header(int source, int tag, std::uint32_t in_context = context) {
    return {.context = in_context, .source = source, .tag = tag};
  }
  static Buffer buffer(Bytes& bytes) { return {bytes.data(), bytes.size(), &dtype::byte_type()}; }

  Request& isend(int to, int tag, Bytes& bytes) { return engine.isend(to, header(0, tag), buffer(bytes)); }
  Request& ireceive(int source, int tag, Bytes& bytes) {
    return engine.ireceive({context, source, tag}, buffer(bytes));
  }

  RecordingDevice device;
  OwnerLock lock;
  Engine engine{4, [this](int rank) { return device.connect(rank, {}); }, WaitPolicy{}, lock};
};

}  // namespace bowline::proto
