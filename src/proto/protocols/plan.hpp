// SPDX-License-Identifier: BSD-3-Clause
// Plan: which protocol serves which length on the way to one peer. Made once, from what the endpoint can do.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "transport/transport.hpp"

namespace bowline::proto {

class RendezvousProtocol;

struct Plan {
  struct Choice {
    std::size_t from;  ///< shortest message, in bytes
    const RendezvousProtocol* protocol;

    bool serves(std::size_t bytes) const noexcept { return from <= bytes; }
  };
  static constexpr std::size_t max_choices = 4;

  std::size_t eager_limit = 0;                ///< longest message sent without asking, in bytes
  std::array<Choice, max_choices> choices{};  ///< for announced messages, best first; the last serves every length
  std::size_t count = 0;                      ///< how many of them there are

  /// All of them, in the order in which they are to be tried with the messages that they serve.
  std::span<const Choice> in_order() const noexcept { return std::span(choices).first(count); }
};

Plan make_plan(const transport::Limits& limits);

}  // namespace bowline::proto
