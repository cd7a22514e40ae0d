// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace bowline::test {

/// What memory holds at first of which a test checks that nobody writes to it.
inline constexpr std::byte untouched{0xee};

}  // namespace bowline::test
