// SPDX-License-Identifier: BSD-3-Clause
// TeamSlots: memory that the members of a team share, made when a collective first wants it: one for all operations
// that they begin in the same order, gone with the team, and one for each persistent operation, gone with it. Who still
// uses it keeps it: it has no name, and each member has it mapped for itself.
//
// Member 0 makes the memory and tells the others where it is; they open it, and all tell each other whether they could.
// If one could not, none uses it: the members have to choose the same algorithms.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/task.hpp"
#include "coll/channel.hpp"
#include "coll/rank_map.hpp"
#include "coll/slots/slot_memory.hpp"
#include "node/process.hpp"
#include "node/segment.hpp"
#include "proto/engine.hpp"

namespace bowline::coll {

class TeamSlots final : private SlotHost, private proto::Sharers {
 public:
  /// `useful`: with longer slots no operation would need fewer rounds, as far as this member can tell. Member 0
  /// decides.
  TeamSlots(proto::Engine& engine, const RankMap& ranks, int rank, int size,
            std::size_t useful = std::numeric_limits<std::size_t>::max()) noexcept
      : engine_(engine), ranks_(ranks), rank_(rank), size_(size), useful_(useful) {}
  ~TeamSlots();

  /// What has come of settle(): the memory is there, or will never be, and then no operation gets a turn from then on.
  /// While it runs neither holds: a member may have the memory already that another one refuses.
  bool ready() const noexcept { return over() && memory_.has_value(); }
  bool refused() const noexcept { return over() && !memory_.has_value(); }
  /// The number of the operation that begins now. Members begin operations in the same order, so they agree, whether or
  /// not the memory is there already.
  std::uint64_t next_number() noexcept { return next_numbers(1); }
  /// For an operation that takes several turns: the first of its numbers.
  std::uint64_t next_numbers(std::uint64_t turns) noexcept { return std::exchange(next_number_, next_number_ + turns); }
  /// Whether an operation has had a number.
  bool begun() const noexcept { return next_number_ != 0; }
  /// Whether the last number that was given is that of the first operation, which has to settle().
  bool is_first() const noexcept { return next_number_ == 1; }
  SlotMemory& memory() noexcept { return *memory_; }

  /// Run by the operation that has number 0, before anything else on its channel: makes the memory or finds it refused.
  Task settle(Channel& channel);
  /// For the others: co_await it to wait until that has ended.
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

  /// How often a wait of a blocking operation looks at a flag before it makes progress otherwise.
  unsigned spins() const noexcept { return spins_; }

 private:
  struct Offer;
  Offer make(std::optional<node::Segment>& segment);
  void open(const Offer& offer);
  static std::byte what_it_can(const Offer& offer);
  void use(node::Mapping mapping, std::size_t slot_bytes);
  void give_up(const std::string& reason);
  void watch(proto::Watch& watch, int member) override {
    watch.sharers = this;
    watch.member = member;
    engine_.watch(watch);
  }
  int world_rank(int member) const noexcept override { return ranks_.world(member); }
  bool ended(int member) noexcept override;
  void wake(int member) noexcept override;
  void back(std::span<std::byte> part) override { mapping_.reserve(part); }
  bool over() const noexcept { return settled_.load(std::memory_order_relaxed) != 0; }

  proto::Engine& engine_;
  const RankMap ranks_;
  int rank_;
  int size_;
  std::size_t useful_;
  unsigned spins_ = 0;
  std::uint64_t next_number_ = 0;
  std::atomic<std::uint64_t> settled_ = 0;
  node::Mapping mapping_;
  std::optional<SlotMemory> memory_;
  std::vector<std::optional<node::PeerProcess>> watched_;  ///< the members, once somebody has asked whether they live
};

}  // namespace bowline::coll
