// SPDX-License-Identifier: BSD-3-Clause
// TeamSlots: memory that the members of a team share, made by the first collective that needs it. One serves all
// operations that members start in the same order and lives as long as the team; one more serves each persistent
// operation and lives as long as that. The memory has no name, and each member maps it, so it lives until the last
// member unmaps it. A later team of as many members may get the memory of one that has ended.
//
// Member 0 makes the memory and sends its ticket to the others. The other members open the memory, and all members
// exchange whether they succeeded. If one member failed, no member uses the memory, because all must choose the same
// algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/task.hpp"
#include "coll/channel/channel.hpp"
#include "coll/channel/rank_map.hpp"
#include "coll/slots/slot_memory.hpp"
#include "node/process.hpp"
#include "node/shared_memory.hpp"
#include "proto/engine.hpp"

namespace bowline::coll {

class TeamSlots final : private SlotHost, private proto::Sharers {
 public:
  /// `useful`: the slot length beyond which operations need no fewer rounds, as far as this member knows. Member 0
  /// decides.
  /// `context`: of the communicator.
  TeamSlots(proto::Engine& engine, std::uint32_t context, const RankMap& ranks, int rank, int size,
            std::size_t useful = std::numeric_limits<std::size_t>::max()) noexcept
      : engine_(engine), context_(context), ranks_(ranks), rank_(rank), size_(size), useful_(useful) {}
  ~TeamSlots();

  /// The result of settle(): the memory is ready, or it is refused for good and no operation gets a sequence number.
  /// While settle() runs neither holds: this member may have mapped memory that another member cannot map.
  bool ready() const noexcept { return over() && memory_.has_value(); }
  bool refused() const noexcept { return over() && !memory_.has_value(); }
  /// The number of the operation that starts now. Members start operations in the same order, so the numbers agree,
  /// even before the memory is ready.
  std::uint64_t next_sequence() noexcept { return next_sequences(1); }
  /// For an operation that takes several sequence numbers: returns the first of them.
  std::uint64_t next_sequences(std::uint64_t count) noexcept {
    return std::exchange(next_sequence_, next_sequence_ + count);
  }
  /// Whether any operation has taken a number.
  bool begun() const noexcept { return next_sequence_ != 0; }
  /// Whether the last number belongs to the first operation, which must run settle().
  bool is_first() const noexcept { return next_sequence_ == 1; }
  SlotMemory& memory() noexcept { return *memory_; }
  /// Whether `watch` waits for a word in this memory.
  bool shares(const proto::Watch& watch) const noexcept { return watch.sharers == this; }

  /// The operation with number 0 runs this before anything else on its channel. settle() makes the memory or refuses
  /// it.
  Task settle(Channel& channel);
  /// All other operations co_await the result to wait until settle() has ended.
  auto settled() noexcept {
    struct Awaiter {
      TeamSlots& slots;
      proto::Watch watch{slots.settled_, 1, {}};
      bool await_ready() const noexcept { return watch.reached(); }
      void await_suspend(std::coroutine_handle<> waiter) noexcept {
        watch.waiter = waiter;
        slots.engine_.watch(watch);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }

  /// How often a wait of a blocking operation polls a flag before it makes progress on other messages.
  unsigned spins() const noexcept { return spins_; }

 private:
  struct Offer;
  struct Answer;
  enum class Ability : std::int32_t;
  Offer make();
  void open(const Offer& offer);
  node::SharedMemoryPool::Requirements requirements(std::size_t slot_bytes) const noexcept;
  static Ability ability(const Offer& offer);
  void use_answers(std::span<const Answer> answers, std::span<const int> caches, const std::string& refusal);
  void use(std::size_t slot_bytes);
  void do_without_memory(const std::string& reason);
  void watch(proto::Watch& watch, int member) override {
    watch.sharers = this;
    watch.member = member;
    engine_.watch(watch);
  }
  int process(int member) const noexcept override { return ranks_.process(member); }
  bool ended(int member) noexcept override;
  Failure overtaken(const proto::Watch& watch) noexcept override;
  std::uint32_t context() const noexcept override { return context_; }
  void wake(int member) noexcept override;
  void back(std::span<std::byte> part) override { shared_.mapping().reserve(part); }
  bool over() const noexcept { return settled_.load(std::memory_order_relaxed) != 0; }

  proto::Engine& engine_;
  const std::uint32_t context_;
  const RankMap ranks_;
  int rank_;
  int size_;
  std::size_t useful_;
  unsigned spins_ = 0;
  std::uint64_t next_sequence_ = 0;
  Atomic<std::uint64_t> settled_ = 0;
  node::SharedMemory shared_;
  std::optional<SlotMemory> memory_;
  std::vector<std::optional<node::PeerProcess>> watched_;  ///< the members for which ended() was called
};

}  // namespace bowline::coll
