// SPDX-License-Identifier: BSD-3-Clause
// Seeds of random tests: the same in every run, and others on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bowline::test {

/// The seeds that a random test runs with: a fixed few, or the one in the environment variable TEST_SEED. Tests show
/// the seed with SCOPED_TRACE, so that a failure names it.
std::vector<std::uint32_t> seeds();

/// How many wrong messages a test makes up in all: 200,000, or what the environment variable FUZZ_MESSAGES says.
std::size_t fuzz_messages();

}  // namespace bowline::test
