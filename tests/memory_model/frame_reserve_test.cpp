// SPDX-License-Identifier: BSD-3-Clause
// base/task: a cell of the reserve belongs to one thread at a time.
#include "base/cpu_relax.hpp"
#include "base/task.hpp"
#include "explore.hpp"

namespace bowline {
namespace {

/// Each thread writes to each cell that it takes, while it holds one or two.
struct Reserved : model::Suite<Reserved, 3> {
  void run(unsigned index) {
    for (std::uint64_t round = 1; round <= 2; ++round) {
      void* const first = use(10 * index + round);
      void* const second = index == 0 ? use(round) : nullptr;
      RL_ASSERT(first != second);
      FrameReserve::give(first);
      if (second != nullptr) FrameReserve::give(second);
    }
  }
  void* use(std::uint64_t mark) {
    void* const cell = FrameReserve::take(FrameReserve::cell);
    copy_to_shared(cell, &mark, sizeof mark);
    std::uint64_t found = 0;
    copy_from_shared(&found, cell, sizeof found);
    RL_ASSERT(found == mark);
    return cell;
  }
};

TEST(FrameReserve, ACellBelongsToOneThread) {
  model::explore<Reserved>(10'000);
}

}  // namespace
}  // namespace bowline
