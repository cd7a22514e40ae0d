// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/reduce/reduce.hpp"
#include "coll/selection/composed.hpp"

namespace bowline::coll {

Task reduce_hierarchical(Channel& channel, const Arguments& arguments) {
  if (!divisible(channel, *arguments.reduction)) {
    Task flat = run_flat(channel, Operation::reduce, arguments);
    co_await flat;
    co_return;
  }
  const Hierarchy& hierarchy = *channel.hierarchy();
  const int rank = channel.rank();
  const int root = arguments.root;
  const bool keeps = rank != root && stands_for_units(hierarchy, 1, rank, root) > 0;
  const Scratch memory(channel, keeps ? arguments.input.size() : 0);
  const std::span<std::byte> result = keeps ? std::span<std::byte>(memory) : arguments.result;

  std::span<const std::byte> have = arguments.input;
  for (int number = 0; number < hierarchy.stages(); ++number) {
    const Stage stage = hierarchy.stage(number, rank, root);
    if (!stage.taken_part_in()) break;
    const bool gets = stage.rank == stage.top;
    const Arguments here{.root = stage.top,
                         .input = have,
                         .result = gets ? result : std::span<std::byte>(),
                         .reduction = arguments.reduction};
    Task reduced = run_stage(channel, hierarchy.level(number), stage, Operation::reduce, here);
    co_await reduced;
    have = result;
  }
}

}  // namespace bowline::coll
