// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/selection/composed.hpp"

namespace bowline::coll {

Task bcast_hierarchical(Channel& channel, const Arguments& arguments) {
  const Hierarchy* const hierarchy = channel.hierarchy();
  if (hierarchy == nullptr) {
    Task flat = run_flat(channel, Operation::bcast, arguments);
    co_await flat;
    co_return;
  }
  for (int number = hierarchy->stages() - 1; number >= 0; --number) {
    const Stage stage = hierarchy->stage(number, channel.rank(), arguments.root);
    const Arguments here{.root = stage.top, .result = arguments.result};
    Task spread = run_stage(channel, hierarchy->level(number), stage, Operation::bcast, here);
    co_await spread;
  }
}

}  // namespace bowline::coll
