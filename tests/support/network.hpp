// SPDX-License-Identifier: BSD-3-Clause
// A network in memory between the engines of one process, and a decorator that makes any transport's life hard: seeded
// random refusals and delays, within what the transport's contract allows.
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

class MemoryNetwork {
 public:
  /// `capacity`: messages that wait from one rank to another before sends are refused. `readable`: whether get() works.
  MemoryNetwork(int ranks, std::size_t capacity, bool readable);
  MemoryNetwork(const MemoryNetwork&) = delete;
  MemoryNetwork& operator=(const MemoryNetwork&) = delete;

  /// The device of this rank; it lives as long as the network.
  transport::Device& device(int rank) { return *devices_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<std::deque<Parcel>>> inboxes_;  ///< by receiver, then by sender
  std::vector<std::unique_ptr<transport::Device>> devices_;
};

/// Between the engine and another device: refuses sends, holds arrived messages back (never changing the order of one
/// sender's), and answers polls with nothing, at random.
class FaultyDevice final : public transport::Device {
 public:
  FaultyDevice(transport::Device& inner, std::uint32_t seed) : inner_(inner), random_(seed) {}

  std::string_view name() const override { return "faulty"; }
  transport::Address address() const override { return inner_.address(); }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  unsigned poll(transport::Sink& sink) override;
  bool can_sleep() const override { return false; }
  void sleep(int) override {}

  /// True with the given probability in percent.
  bool chance(unsigned percent) { return random_() % 100 < percent; }

 private:
  transport::Device& inner_;
  std::mt19937 random_;
  std::map<int, std::deque<Parcel>> held_;  ///< by sender
};

}  // namespace bowline::test
