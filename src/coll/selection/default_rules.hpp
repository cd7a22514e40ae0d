// SPDX-License-Identifier: BSD-3-Clause
// The rules that Bowline comes with.
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

/// Where several fit a call the first counts; where none does, the operation's first algorithm.
std::span<const DefaultRule> default_rules() noexcept;

}  // namespace bowline::coll
