// SPDX-License-Identifier: BSD-3-Clause
// Agreement: what members know after they have added up their numbers.
#include "coll/channel/agreement.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines.hpp"

namespace bowline::coll {
namespace {

TEST(AddUp, GivesAllMembersTheSums) {
  constexpr std::uint32_t seed = 17;
  constexpr std::size_t count = 5;
  for (int size = 1; size <= 9; ++size) {
    std::vector<std::vector<std::uint64_t>> numbers(static_cast<std::size_t>(size));
    std::vector<std::uint64_t> sums(count);
    for (std::size_t member = 0; member < numbers.size(); ++member) {
      for (std::size_t i = 0; i < count; ++i) {
        numbers[member].push_back((member + 1) << (10 * i));  // above 32 bits too
        sums[i] += numbers[member].back();
      }
    }
    run_over_engines(size, seed, [&](Channel& channel) {
      return add_up(channel, std::span(numbers[static_cast<std::size_t>(channel.rank())]));
    });
    for (const auto& member : numbers) EXPECT_EQ(member, sums) << "of " << size << " members";
  }
}

}  // namespace
}  // namespace bowline::coll
