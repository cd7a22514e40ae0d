// SPDX-License-Identifier: BSD-3-Clause
// Seeds of random tests: the same in every run, and others on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bowline::test {

/// The seeds of a random test: a fixed few, or the one in the environment variable TEST_SEED. Tests show the seed with
/// SCOPED_TRACE, so that the output of a failure contains it.
std::vector<std::uint32_t> seeds();

/// The number of invalid messages that a test generates: 200,000, or the value of the environment variable
/// FUZZ_MESSAGES.
std::size_t fuzz_messages();

}  // namespace bowline::test
