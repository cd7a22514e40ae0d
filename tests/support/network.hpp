// SPDX-License-Identifier: BSD-3-Clause
// A network in memory between the engines of one process, and a decorator that makes any transport's life hard: seeded
// random refusals, delays and overtaking, within what the transport's contract allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::test {

/// A message on its way.
struct Parcel {
  transport::Header header;
  std::vector<std::byte> prefix;
  std::vector<std::byte> body;
};

/// How ranks reach each other's memory.
enum class Reach : std::uint8_t {
  nothing,   ///< not at all, though the transport offers to read without a key
  attached,  ///< by reading, without a key and at once
  get,       ///< by reading with a key; ends at a later poll
  put,       ///< by writing with a key; ends at a later poll
};

class MemoryNetwork {
 public:
  /// `capacity`: messages that wait from one rank to another before sends are refused.
  MemoryNetwork(int ranks, std::size_t capacity, Reach reach);
  MemoryNetwork(const MemoryNetwork&) = delete;
  MemoryNetwork& operator=(const MemoryNetwork&) = delete;

  /// The device of this rank; it lives as long as the network.
  transport::Device& device(int rank) { return *devices_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<std::deque<Parcel>>> inboxes_;  ///< by receiver, then by sender
  std::vector<std::unique_ptr<transport::Device>> devices_;
};

/// Between the engine and any other device: refuses sends and accesses, holds arrived messages back,
/// lets those of different senders
/// overtake each other (never those of one sender), and answers polls with nothing, at random. It never sleeps: what it
/// holds back would wait for what wakes nobody.
class FaultyDevice final : public transport::Device {
 public:
  FaultyDevice(transport::Device& inner, std::uint32_t seed) : inner_(inner), random_(seed) {}

  std::string_view name() const override { return "faulty"; }
  transport::Address address() const override { return inner_.address(); }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  unsigned poll(transport::Sink& sink) override;
  bool ready() noexcept override { return inner_.ready() || !held_.empty(); }

  /// True with the given probability in percent.
  bool chance(unsigned percent) { return random_() % 100 < percent; }

 private:
  bool deliver_one(transport::Sink& sink);

  transport::Device& inner_;
  std::mt19937 random_;
  std::map<int, std::deque<Parcel>> held_;  ///< by sender; those that wait have at least one
};

}  // namespace bowline::test
