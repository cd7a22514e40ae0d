// SPDX-License-Identifier: BSD-3-Clause
// Processes with inboxes in the memory of a model, and the messages that they exchange.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cpu_relax.hpp"
#include "base/kernel_waits.hpp"
#include "base/tunable.hpp"
#include "explore.hpp"
#include "shm/shm_device.hpp"
#include "shm/shm_endpoint.hpp"

namespace bowline::shm {

/// Makes rings as short as they can be.
class ShortRings final : public testing::Environment {
 public:
  void SetUp() override {
    for (TunableBase* const each : TunableBase::all())
      if (each->name() == "shm_ring_size") each->set(std::to_string(least_ring_bytes));
  }
};
inline const testing::Environment* const short_rings = testing::AddGlobalTestEnvironment(new ShortRings);
inline constexpr std::size_t lines = least_ring_bytes / line_bytes;

/// Receives messages of one word; the words from each peer count from 1.
class Received final : public transport::Sink {
 public:
  void arrived(int peer, transport::Header header, std::span<const std::byte> /*prefix*/,
               std::span<const std::byte> body) override {
    std::uint64_t word = 0;
    RL_ASSERT(body.size() == sizeof word);
    copy_from_shared(&word, body.data(), sizeof word);
    RL_ASSERT(word == ++words_[static_cast<std::size_t>(peer)] && header.tag == static_cast<std::int32_t>(word));
    ++count;
  }
  void broken(int /*peer*/, const Failure& /*why*/) noexcept override { ++breaks; }
  std::uint64_t from(int peer) const { return words_[static_cast<std::size_t>(peer)]; }

  std::uint64_t count = 0;
  int breaks = 0;

 private:
  std::array<std::uint64_t, 16> words_{};
};

/// A process among `processes`: its inbox and its device for lane 0.
class Process {
 public:
  Process(model::Words& words, int rank, int processes)
      : inbox(static_cast<std::size_t>(processes), 1),
        device(inbox, 0, rank, ranks(processes)),
        address(inbox.address()) {
    const node::Segment segment = *node::Segment::open_in_proc(read_address(address)->memory, 0);
    for (std::size_t producer = 0; producer < static_cast<std::size_t>(processes); ++producer) {
      const std::byte* const ring = segment.map(ring_offset(producer, lines), ring_bytes(lines)).data();
      words.mix(ring + sizeof(RingControl), lines * line_bytes / 8, [](std::size_t i) { return i % 8 == 0; });
    }
  }

  std::unique_ptr<transport::Endpoint> connect(int peer, const Process& to) { return device.connect(peer, to.address); }

  Inbox inbox;
  ShmDevice device;
  transport::Address address;

 private:
  static std::vector<int> ranks(int end) {
    std::vector<int> made;
    for (int i = 0; i < end; ++i) made.push_back(i);
    return made;
  }
};

inline void send(transport::Endpoint& to, std::uint64_t word) {
  const transport::Header header{.tag = static_cast<std::int32_t>(word)};
  while (to.send(header, {}, std::as_bytes(std::span(&word, 1))) != transport::Post::done) cpu_relax();
}
inline void send_long(transport::Endpoint& to, std::uint64_t word) {
  const transport::Header header{.tag = static_cast<std::int32_t>(word)};
  while (to.send_long(header, {}, std::as_bytes(std::span(&word, 1))) == 0) cpu_relax();
}

}  // namespace bowline::shm
