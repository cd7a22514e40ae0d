// SPDX-License-Identifier: BSD-3-Clause
// The page about a deadlock that a hang survey has proven.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/waits/wait_groups.hpp"

namespace bowline::runtime {

/// The words of a group of ranks that have ended.
inline constexpr std::string_view has_ended = "has ended";

/// The lines of the page, for standard error. `ranks`: of the job; `left_out`: of these, how many are in no group;
/// `ends`: whether the job is ended.
std::string deadlock_page(const WaitGroups& groups, int ranks, std::uint32_t left_out, bool ends);

}  // namespace bowline::runtime
