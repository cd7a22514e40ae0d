// SPDX-License-Identifier: BSD-3-Clause
// The channel of a real team: transfers are messages of the protocol engine in the team's collective context.
#pragma once

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
  /// The operation has ended here: others may use its turn. The channel's end does it too.
  void close_turn() noexcept { turn_.reset(); }

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
};

}  // namespace bowline::coll
