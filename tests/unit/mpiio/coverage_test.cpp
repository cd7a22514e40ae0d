// SPDX-License-Identifier: BSD-3-Clause
// mpiio/collective/coverage: marks, runs, and runs as they travel, against a plain array.
#include "mpiio/collective/coverage.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "support/seed.hpp"

namespace bowline::mpiio {
namespace {

using Bits = std::vector<bool>;

std::vector<GranuleRun> runs_of(const Bits& bits) {
  std::vector<GranuleRun> runs;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (!bits[i]) continue;
    if (!runs.empty() && runs.back().end == i) {
      ++runs.back().end;
    } else {
      runs.push_back({i, i + 1});
    }
  }
  return runs;
}

std::vector<GranuleRun> runs_of(const Coverage& coverage, std::size_t granules) {
  std::vector<GranuleRun> runs;
  for (GranuleRun run = coverage.next(0); run.begin < granules; run = coverage.next(run.end)) runs.push_back(run);
  return runs;
}

std::vector<GranuleRun> decoded(const std::vector<std::byte>& message, std::size_t granules) {
  std::vector<GranuleRun> runs;
  RunReader reader(message, granules);
  while (const auto run = reader.next()) runs.push_back(*run);
  return runs;
}

TEST(Coverage, RandomRunsComeBack) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
    std::mt19937 random(seed);
    const auto upto = [&](std::size_t most) { return random() % (most + 1); };
    for (int round = 0; round < 500; ++round) {
      const std::size_t granules = 1 + upto(700);
      const std::size_t longest = 1 + upto(upto(3) == 0 ? 200 : 5);
      std::vector<std::uint64_t> words(Coverage::words_for(granules));
      Coverage coverage(words);
      Bits bits(granules);
      {
        Coverage::Marker marker(coverage);
        for (std::size_t at = upto(longest); at < granules; at += 1 + upto(longest)) {
          const std::size_t end = std::min(granules, at + 1 + upto(longest));
          marker.mark({at, end});
          std::fill(bits.begin() + static_cast<std::ptrdiff_t>(at), bits.begin() + static_cast<std::ptrdiff_t>(end),
                    true);
          at = end;
        }
      }
      ASSERT_EQ(runs_of(coverage, granules), runs_of(bits));
      std::vector<std::byte> message = {std::byte{9}};
      encode_runs(coverage, granules, message);
      ASSERT_EQ(message.front(), std::byte{9});
      message.erase(message.begin());
      ASSERT_LE(message.size(), 1 + words.size() * sizeof(std::uint64_t) + 20);
      ASSERT_EQ(decoded(message, granules), runs_of(bits));
      coverage.clear(granules);
      ASSERT_TRUE(runs_of(coverage, granules).empty());
    }
  }
}

TEST(Coverage, InvalidDescriptionsAreRefusedOrStayWithinTheWindow) {
  std::mt19937 random(test::seeds().front());
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t granules = 1 + random() % 300;
    std::vector<std::byte> message(random() % 60);
    for (std::byte& each : message) each = static_cast<std::byte>(random() % 4 == 0 ? random() : random() % 3);
    try {
      std::size_t behind = 0;
      RunReader reader(message, granules);
      while (const auto run = reader.next()) {
        ASSERT_GE(run->begin, behind);
        ASSERT_LT(run->begin, run->end);
        ASSERT_LE(run->end, granules);
        behind = run->end;
      }
    } catch (const Error& error) {
      ASSERT_EQ(error.error_class(), ErrorClass::intern);
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(ThreadsCoverage, SeveralMarkersLoseNoMark) {
  constexpr std::size_t granules = 10000, markers = 4;
  std::vector<std::uint64_t> words(Coverage::words_for(granules));
  const Coverage coverage(words);
  std::vector<std::thread> threads;
  for (std::size_t mine = 0; mine < markers; ++mine) {
    threads.emplace_back([&, mine] {
      Coverage::Marker marker(coverage);
      for (std::size_t i = mine; i < granules; i += markers) marker.mark({i, i + 1});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(coverage.next(0), (GranuleRun{0, granules}));
}

}  // namespace
}  // namespace bowline::mpiio
