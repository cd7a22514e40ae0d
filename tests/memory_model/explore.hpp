// SPDX-License-Identifier: BSD-3-Clause
// Runs a model in as many orders as its bounds allow, and says which.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <ostream>

#include "base/atomic.hpp"

namespace bowline::model {

/// Random orders. Relacy derives them from the number of the run, so a failure comes again. It prints the order that
/// fails; a stream that allocates memory could not take it, because the model has a heap of its own.
template <class Model>
void explore(std::uint64_t runs) {
  rl::test_params bounds;
  std::ostream nowhere(nullptr);
  bounds.search_type = rl::sched_random;
  bounds.iteration_count = runs;
  bounds.execution_depth_limit = 20'000;
  bounds.progress_stream = &nowhere;
  const bool holds = rl::simulate<Model>(bounds);
  std::printf("%s: %llu random orders\n", bounds.test_name.c_str(),
              static_cast<unsigned long long>(bounds.stop_iteration));
  EXPECT_TRUE(holds) << "in order " << bounds.stop_iteration;
}

}  // namespace bowline::model
