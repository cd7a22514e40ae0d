// SPDX-License-Identifier: BSD-3-Clause
// Members of a team in one memory, for models of collectives: each sleeps and is woken as a process is.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/cpu_relax.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/slots.hpp"
#include "explore.hpp"
#include "sleeping.hpp"

namespace bowline::coll {

/// Fills the pool of frames outside of any model, because frames of the model's heap must not survive an order.
class SlotModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    constexpr std::size_t longest = 2048, granule = 128, each = 32;
    std::vector<std::pair<void*, std::size_t>> frames;
    for (std::size_t bytes = granule; bytes <= longest; bytes += granule) {
      for (std::size_t i = 0; i < each; ++i) frames.emplace_back(FramePool::allocate(bytes), bytes);
    }
    for (const auto& [frame, bytes] : frames) FramePool::release(frame, bytes);
  }
};

/// One member's process.
class ModelMember final : private SlotHost {
 public:
  ModelMember(std::span<std::byte> shared, int rank, std::span<Atomic<std::uint32_t>> bells, std::size_t slot_bytes)
      : bells_(bells), memory_(shared, rank, static_cast<int>(bells.size()), slot_bytes, *this) {}

  SlotMemory& memory() noexcept { return memory_; }
  /// The next operation. No wait polls, so that each has its watch.
  void skip() noexcept { ++sequence_; }
  Slots next() { return {memory_, sequence_++, CallId{}, 0}; }

  /// Runs the task to its end.
  void finish(Task task) {
    task.start();
    while (!task.done()) {
      RL_ASSERT(watch_ != nullptr);
      model::sleep_until_reached(*watch_, bells_[static_cast<std::size_t>(memory_.rank())]);
      std::exchange(watch_, nullptr)->waiter.resume();
    }
    task.result();
  }

 private:
  void watch(proto::Watch& watch, int) override { watch_ = &watch; }
  void wake(int member) noexcept override { model::wake_at(bells_[static_cast<std::size_t>(member)]); }
  void back(std::span<std::byte>) override {}

  std::span<Atomic<std::uint32_t>> bells_;
  SlotMemory memory_;
  std::uint64_t sequence_ = 0;
  proto::Watch* watch_ = nullptr;
};

/// The members' memory. A model has one, which begins as zeros in each order.
template <std::size_t members>
struct ModelTeam {
  static constexpr std::size_t slot_bytes = SlotMemory::page_bytes;
  static constexpr std::size_t bytes =
      SlotMemory::page_bytes * (2 + (members * sizeof(FlagLine) * SlotMemory::line_sets_for(members) +
                                     members * SlotMemory::slot_sets * slot_bytes) /
                                        SlotMemory::page_bytes);

  ModelTeam() {
    shm::doorbell_register();
    std::memset(memory.data(), 0, SlotMemory::bytes_before_slots(static_cast<int>(members)));
    RL_ASSERT(memory.size() >= SlotMemory::bytes_for(static_cast<int>(members), slot_bytes));
  }

  ModelMember member(unsigned rank) { return {memory, static_cast<int>(rank), bells, slot_bytes}; }

  alignas(64) static inline std::array<std::byte, bytes> memory;
  std::array<Atomic<std::uint32_t>, members> bells;
};

}  // namespace bowline::coll
