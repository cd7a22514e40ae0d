// SPDX-License-Identifier: BSD-3-Clause
// The channel of a real team: transfers are messages of the protocol engine in the team's collective context.
#pragma once

#include <array>
#include <optional>

#include "coll/channel.hpp"
#include "coll/slots.hpp"
#include "coll/team.hpp"

namespace bowline::coll {

class TeamChannel final : public Channel {
 public:
  /// For one collective operation; `tag` is the same in all members.
  /// `blocking`: whether the thread does nothing else until the operation has ended, and may look for flags for a
  /// while.
  TeamChannel(Team& team, std::int32_t tag, bool blocking = false) noexcept
      : Channel(team.rank, team.size), team_(team), tag_(tag), blocking_(blocking) {}

  /// Blocking operations only: one follows the other. Of the others many may be under way at once, and members may
  /// start persistent ones in any order.
  bool takes_turns() const noexcept override { return blocking_; }
  void take_turn() override { number_ = team_.slots->next_number(); }
  void open_turn() override {
    TeamSlots& shared = *team_.slots;
    slots_ = &turn_.emplace(shared.memory(), number_, blocking_ ? shared.spins() : 0);
  }

  void take_node_turns() override { node_number_ = team_.division->node->slots().next_numbers(node_turns); }
  void open_node_turns() override;
  NodeMemory next_node_memory() override {
    if (next_node_turn_ == node_turns || !node_turns_[next_node_turn_].has_value()) return {};
    return {&*node_turns_[next_node_turn_++], team_.crowded};
  }

  /// The operation has ended here: others may use its turns. The channel's end does it too.
  void close_turn() noexcept {
    turn_.reset();
    for (std::optional<Slots>& turn : node_turns_) turn.reset();
  }

  const Hierarchy* hierarchy() const override { return team_.hierarchy(); }

 private:
  Completion* begin_send(int to, std::span<const std::byte> data) override;
  Completion* begin_receive(int from, std::span<std::byte> data) override;
  void end(Completion& completion) override;
  void abandon(Completion& completion) noexcept override;

  Team& team_;
  std::int32_t tag_;
  bool blocking_;
  std::uint64_t number_ = 0;  ///< of the turn
  std::optional<Slots> turn_;
  std::uint64_t node_number_ = 0;   ///< of the first turn among the members on this node
  std::size_t next_node_turn_ = 0;  ///< that no stage has had yet
  std::array<std::optional<Slots>, node_turns> node_turns_;
};

}  // namespace bowline::coll
