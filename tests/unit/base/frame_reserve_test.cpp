// SPDX-License-Identifier: BSD-3-Clause
// base/task: frames when there is no memory.
#include <gtest/gtest.h>

#include <set>

#include "base/task.hpp"
#include "support/allocations.hpp"

namespace bowline {
namespace {

Task descend(int depth) {
  if (depth == 0) co_return;
  Task inner = descend(depth - 1);
  co_await inner;
}

TEST(FrameReserve, TasksRunWithoutMemory) {
  for (int round = 0; round < 20; ++round) {  // they take more frames than the reserve has cells
    FramePool::trim();
    const test::FailingAllocations none(0, test::FailingAllocations::Which::all);
    Task task = descend(3);
    task.start();
    EXPECT_TRUE(task.done());
    EXPECT_NO_THROW(task.result());
    EXPECT_TRUE(test::FailingAllocations::failed());
  }
  FramePool::trim();
}

TEST(FrameReserve, GivesOutEachCellOnce) {
  std::set<void*> cells;
  while (void* const cell = FrameReserve::take(FrameReserve::cell)) EXPECT_TRUE(cells.insert(cell).second);
  EXPECT_GT(cells.size(), 10U);
  EXPECT_FALSE(FrameReserve::give(&cells));
  for (void* const cell : cells) EXPECT_TRUE(FrameReserve::give(cell));
  EXPECT_EQ(FrameReserve::take(FrameReserve::cell + 1), nullptr);
}

}  // namespace
}  // namespace bowline
