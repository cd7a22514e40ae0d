// SPDX-License-Identifier: BSD-3-Clause
// Plan: which protocol serves which length of messages to one peer. Made once, from the limits of the endpoint.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "transport/transport.hpp"

namespace bowline::proto {

class RendezvousProtocol;

struct Plan {
  struct Choice {
    std::size_t from = 0;                          ///< shortest message, in bytes
    const RendezvousProtocol* protocol = nullptr;  ///< nullptr: behind the last choice

    bool serves(std::size_t bytes) const noexcept { return from <= bytes; }
  };
  static constexpr std::size_t max_choices = 4;

  std::size_t eager_limit = 0;                ///< longest eager message, in bytes
  std::array<Choice, max_choices> choices{};  ///< for announced messages, best first; the last serves every length

  /// All choices, in the order in which to try the protocols.
  std::span<const Choice> in_order() const noexcept {
    const auto end = std::ranges::find(choices, nullptr, &Choice::protocol);
    return {choices.begin(), end};
  }
};

Plan make_plan(const transport::Limits& limits);

}  // namespace bowline::proto
