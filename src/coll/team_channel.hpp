// SPDX-License-Identifier: BSD-3-Clause
// The channel of a real team: transfers are messages of the protocol engine in the team's collective context.
#pragma once

#include "coll/channel.hpp"
#include "coll/team.hpp"

namespace bowline::coll {

class TeamChannel final : public Channel {
 public:
  /// For one collective operation; `tag` is the same in all members.
  TeamChannel(Team& team, std::int32_t tag) noexcept : Channel(team.rank, team.size), team_(team), tag_(tag) {}

  const Hierarchy* hierarchy() const override { return team_.hierarchy(); }

 private:
  Completion* begin_send(int to, std::span<const std::byte> data) override;
  Completion* begin_receive(int from, std::span<std::byte> data) override;
  void end(Completion& completion) override;
  void abandon(Completion& completion) noexcept override;

  Team& team_;
  std::int32_t tag_;
};

}  // namespace bowline::coll
