// SPDX-License-Identifier: BSD-3-Clause
// mpiio/access: what a process learns about the cost of its accesses.
#include "mpiio/access/cost_model.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace bowline::mpiio {
namespace {

using std::chrono::nanoseconds;

constexpr CostModel::Sample dense{.pieces = 64, .data = 64 * 64, .span = 64 * 128};
constexpr CostModel::Sample sparse{.pieces = 64, .data = 64 * 64, .span = 64 << 20};

TEST(CostModel, SievesDensePiecesAndNotSparseOnes) {
  for (const bool remote : {false, true}) {
    CostModel model(remote);
    EXPECT_TRUE(model.prefers_span(dense));
    EXPECT_FALSE(model.prefers_span({.pieces = 64, .data = 64 * 64, .span = 64UL << 30}));
  }
}

TEST(CostModel, LearnsThatPiecesAreCheap) {
  CostModel model(false);
  ASSERT_TRUE(model.prefers_span(dense));
  for (int i = 0; i < 100; ++i) {
    model.moved_pieces(dense, nanoseconds(64 * 10));
    model.moved_span(dense, nanoseconds(1'000'000));
  }
  EXPECT_FALSE(model.prefers_span(dense));
}

TEST(CostModel, LearnsThatPiecesAreDear) {
  CostModel model(false);
  ASSERT_FALSE(model.prefers_span(sparse));
  for (int i = 0; i < 100; ++i) model.moved_pieces(sparse, nanoseconds(64LL * 10'000'000));
  EXPECT_TRUE(model.prefers_span(sparse));
}

TEST(CostModel, TriesTheOtherWayNowAndThenIfItCostsLittleMore) {
  CostModel model(false);
  int spans = 0, trials = 0;
  constexpr CostModel::Sample close{.pieces = 64, .data = 64 * 64, .span = 64 * 1000};
  for (int i = 0; i < 128; ++i) (model.prefers_span(close) ? spans : trials) += 1;
  EXPECT_GT(std::min(spans, trials), 0);
  EXPECT_LT(std::min(spans, trials), 8);
}

TEST(CostModel, IsNotLedAstrayByOneInterruption) {
  CostModel model(false);
  for (int i = 0; i < 50; ++i) {
    model.moved_pieces(sparse, nanoseconds(64 * 400));
    model.moved_span(dense, nanoseconds(64 * 128 / 4));
  }
  model.moved_span(dense, std::chrono::seconds(10));
  EXPECT_TRUE(model.prefers_span(dense));
}

}  // namespace
}  // namespace bowline::mpiio
