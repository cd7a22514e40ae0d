// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/setting.hpp"

namespace bowline::proto {

/// A base before that with the engine: an engine made after it has room for few unexpected messages.
struct SmallBudget {
  test::Setting setting{"unexpected_budget", "65536"};
};

}  // namespace bowline::proto
