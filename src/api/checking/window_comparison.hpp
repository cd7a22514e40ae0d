// SPDX-License-Identifier: BSD-3-Clause
// The members of a window tell each other what they have done to each other's memory, and each looks for conflicting
// accesses to its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/checking/window_record.hpp"

namespace bowline::api::checking {

/// The displacement units of all members, who all call it. The caller holds the lane's lock.
std::vector<std::int64_t> exchange_units(rma::Window& window);

/// Returns after all members have called it. The caller holds the lane's lock.
void await_members(rma::Window& window);

/// What this process is to tell, each pair of places in the program once. All members call it when all accesses have
/// been completed; none returns before all have called it. `memory`: this process's own, as it is now; empty unless
/// stores to it are looked for.
std::vector<std::string> compare_accesses(WindowRecord& record, const WindowRecord::Knowledge& now,
                                          std::span<const std::byte> memory);

}  // namespace bowline::api::checking
