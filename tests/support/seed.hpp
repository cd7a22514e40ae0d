// SPDX-License-Identifier: BSD-3-Clause
// Seeds of random tests: the same in every run, and others on request.
#pragma once

#include <cstdint>
#include <vector>

namespace bowline::test {

/// The seeds that a random test runs with: a fixed few, or the one in the environment variable TEST_SEED. Tests show
/// the seed with SCOPED_TRACE, so that a failure names it.
std::vector<std::uint32_t> seeds();

}  // namespace bowline::test
