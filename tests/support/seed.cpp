// SPDX-License-Identifier: BSD-3-Clause
#include "support/seed.hpp"

#include <cstdlib>
#include <string>

namespace bowline::test {

std::vector<std::uint32_t> seeds() {
  if (const char* chosen = std::getenv("TEST_SEED")) return {static_cast<std::uint32_t>(std::stoul(chosen))};
  return {1, 2, 3, 4, 5};
}

std::size_t fuzz_messages() {
  const char* const wanted = std::getenv("FUZZ_MESSAGES");
  return wanted == nullptr ? 200'000 : std::stoul(wanted);
}

}  // namespace bowline::test
