// SPDX-License-Identifier: BSD-3-Clause
// SlotChannel: one member's channel over memory of the test, for algorithms that go through slots alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include "coll/channel/channel.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

struct alignas(64) Line {
  std::byte bytes[64];
};

class SlotChannel : public Channel, private SlotHost {
 public:
  static constexpr std::size_t slot_bytes = 1024;

  SlotChannel(std::span<std::byte> shared, int rank, int size)
      : Channel(rank, size), memory_(shared, rank, size, slot_bytes, *this) {
    memory_.tell_process();
    memory_.set_readable(true);
  }

  /// The next operation begins, and the one before has ended.
  Slots& begin(bool at_once, unsigned spins) {
    own_slots_.reset();
    at_once_ = at_once;
    slots_ = &own_slots_.emplace(memory_, sequence_++, CallId{}, spins);
    return *own_slots_;
  }
  void end_slots() { own_slots_.reset(); }
  std::uint64_t number() const noexcept { return sequence_; }

  /// Whether the flag is there that the operation waits for.
  bool may_go_on() const noexcept { return watch_ != nullptr && watch_->reached(); }
  void go_on() { std::exchange(watch_, nullptr)->waiter.resume(); }
  bool waits() const noexcept { return watch_ != nullptr; }

 private:
  void watch(proto::Watch& watch, int) override { watch_ = &watch; }
  void wake(int) noexcept override { ADD_FAILURE() << "nobody sleeps"; }
  void back(std::span<std::byte>) override {}
  Completion* begin_send(int, std::span<const std::byte>) override { throw std::logic_error("sends a message"); }
  Completion* begin_receive(int, std::span<std::byte>) override { throw std::logic_error("receives a message"); }
  void end(Completion&) override {}
  void abandon(Completion&) noexcept override {}

  SlotMemory memory_;
  std::uint64_t sequence_ = 0;
  std::optional<Slots> own_slots_;
  proto::Watch* watch_ = nullptr;
};

}  // namespace bowline::coll
