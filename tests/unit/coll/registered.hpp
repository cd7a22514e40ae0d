// SPDX-License-Identifier: BSD-3-Clause
// Tests that run every registered algorithm of an operation: one instance of a TEST_P for each.
//
//   class Scan : public testing::TestWithParam<Algorithm> {};
//   TEST_P(Scan, ...) { ... GetParam().run ... }
//   INSTANTIATE_TEST_SUITE_P(Registered, Scan, testing::ValuesIn(algorithms(Operation::scan)), algorithm_name);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "coll/channel/algorithm.hpp"
#include "model.hpp"

namespace bowline::coll {

inline void PrintTo(const Algorithm& algorithm, std::ostream* out) {
  *out << algorithm.name;
}

inline std::string algorithm_name(const testing::TestParamInfo<Algorithm>& info) {
  return std::string(info.param.name);
}

/// Those that move their data in segments.
inline std::vector<Algorithm> segmented_algorithms(Operation operation) {
  std::vector<Algorithm> segmented;
  std::ranges::copy_if(algorithms(operation), std::back_inserter(segmented), &Algorithm::segmented);
  return segmented;
}

/// Those that run over engines: engines in one process have no shared slots.
inline std::vector<Algorithm> algorithms_over_engines(Operation operation) {
  std::vector<Algorithm> over_engines;
  std::ranges::remove_copy_if(algorithms(operation), std::back_inserter(over_engines), &Algorithm::shared);
  return over_engines;
}

/// Numbers of elements to run an algorithm with: through shared memory also such as take several rounds or pieces.
inline std::vector<std::size_t> counts_for(const Algorithm& algorithm, std::size_t long_one) {
  std::vector<std::size_t> counts{0, 1, 7, 8, 9};
  if (algorithm.shared) counts.insert(counts.end(), {long_one / 10, long_one});
  return counts;
}

/// The sizes of teams that an algorithm serves.
inline std::vector<int> sizes_for(const Algorithm& algorithm) {
  std::vector<int> sizes = team_sizes();
  if (algorithm.power_of_two)
    std::erase_if(sizes, [](int n) { return !std::has_single_bit(static_cast<unsigned>(n)); });
  return sizes;
}

/// Runs an algorithm with these arguments, one set for each member.
inline void run_all(Model& model, Run algorithm, const std::vector<Arguments>& arguments) {
  model.run([&](Channel& channel) { return algorithm(channel, arguments[static_cast<std::size_t>(channel.rank())]); });
}

}  // namespace bowline::coll
