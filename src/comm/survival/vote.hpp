// SPDX-License-Identifier: BSD-3-Clause
// Vote: what a member brings into a uniform agreement, or several members together.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/index_offer.hpp"

namespace bowline::comm {

struct Vote {
  /// The function that the member has called.
  enum class Form : std::uint32_t { agree, agree_failed, shrink, mixed };

  Form form = Form::agree;  ///< `mixed`: members have called different functions
  /// The bitwise AND of the values of each side; an intracommunicator has the first side only.
  std::array<std::uint32_t, 2> flags{~std::uint32_t{0}, ~std::uint32_t{0}};
  /// Context ids for the communicator that a shrink makes.
  std::optional<IndexOffer> offer{};
  std::vector<int> failed{};        ///< ranks of members that a voter has found failed; ascending
  std::vector<int> acknowledged{};  ///< ranks of failed members that all voters have acknowledged; ascending

  void add(const Vote& other);
  /// Notes that a voter has found this member failed.
  void note_failed(int rank);
  /// Whether a voter has not acknowledged one of the failed members.
  bool has_news() const noexcept;
};

}  // namespace bowline::comm
