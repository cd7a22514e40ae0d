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

}  // namespace bowline::coll
