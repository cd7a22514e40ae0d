// SPDX-License-Identifier: BSD-3-Clause
// The tunables that must have the same values in all processes that communicate (TunableTraits::equal_at_all()).
#pragma once

#include <cstdint>
#include <string>

namespace bowline {

/// The same number in all processes with the same values; 0: all are at their defaults.
std::uint64_t digest_of_common_settings();

/// Those that are not at their defaults: "BOWLINE_COLL_REPRODUCIBLE=1 BOWLINE_COLLECTIVES=bcast=binomial"; else empty.
std::string common_settings_in_words();

/// "BOWLINE_CHECK_COLLECTIVES, BOWLINE_COLLECTIVES and ...".
std::string names_of_common_settings();

}  // namespace bowline
