// SPDX-License-Identifier: BSD-3-Clause
// The default rules.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "coll/selection/rules.hpp"

namespace bowline::coll {

struct DefaultRule {
  Operation operation;
  When when;
  std::string_view algorithm;
  std::size_t segment = 0;  ///< in bytes; 0: all at once
};

/// The first rule that matches a call applies; without a match the operation's first algorithm serves it.
std::span<const DefaultRule> default_rules() noexcept;

/// Other ways to execute calls of members on several nodes, with which the chosen way is compared (NetworkTrials). All
/// rows that match a call count, as many as there is room for.
std::span<const DefaultRule> alternatives() noexcept;

}  // namespace bowline::coll
