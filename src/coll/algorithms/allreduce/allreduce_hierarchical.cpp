// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/selection/composed.hpp"

namespace bowline::coll {

Task allreduce_hierarchical(Channel& channel, const Arguments& arguments) {
  if (!divisible(channel, *arguments.reduction)) {
    Task flat = run_flat(channel, Operation::allreduce, arguments);
    co_await flat;
    co_return;
  }
  const Hierarchy& hierarchy = *channel.hierarchy();
  const int last = hierarchy.stages() - 1;
  const int rank = channel.rank();
  const std::span<std::byte> result = arguments.result;

  std::span<const std::byte> have = arguments.input;
  for (int number = 0; number < last; ++number) {
    const Stage stage = hierarchy.stage(number, rank, 0);
    if (!stage.taken_part_in()) break;
    const Arguments here{.root = stage.top,
                         .input = have,
                         .result = stage.rank == stage.top ? result : std::span<std::byte>(),
                         .reduction = arguments.reduction};
    Task reduced = run_stage(channel, hierarchy.level(number), stage, Operation::reduce, here);
    co_await reduced;
    have = result;
  }

  const Arguments at_top{.input = have, .result = result, .reduction = arguments.reduction};
  Task combined =
      run_stage(channel, hierarchy.level(last), hierarchy.stage(last, rank, 0), Operation::allreduce, at_top);
  co_await combined;

  for (int number = last - 1; number >= 0; --number) {
    const Stage stage = hierarchy.stage(number, rank, 0);
    const Arguments here{.root = stage.top, .result = result};
    Task spread = run_stage(channel, hierarchy.level(number), stage, Operation::bcast, here);
    co_await spread;
  }
}

}  // namespace bowline::coll
