// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/gather/gather.hpp"
#include "coll/selection/composed.hpp"

namespace bowline::coll {

Task gather_hierarchical(Channel& channel, const Arguments& arguments) {
  const Hierarchy* const hierarchy = channel.hierarchy();
  const int last = hierarchy == nullptr ? 0 : hierarchy->uniform_stages();
  if (last == 0) {
    Task flat = run_flat(channel, Operation::gather, arguments);
    co_await flat;
    co_return;
  }
  const int rank = channel.rank();
  const int root = arguments.root;
  const std::size_t block = arguments.input.size();
  const auto length = [&](int stage) { return static_cast<std::size_t>(hierarchy->members_each(stage)) * block; };
  const int stands_from = stands_for_units(*hierarchy, last, rank, root);
  const Scratch memory(channel, rank == root || stands_from == 0 ? 0 : length(stands_from));
  // The place of the blocks of the members that this member represents in a stage.
  const auto blocks = [&](int stage) -> std::span<std::byte> {
    if (rank != root) return memory.first(length(stage));
    const int each = hierarchy->members_each(stage);
    return arguments.receive.run(rank / each * each, each);
  };

  std::span<const std::byte> have = arguments.input;
  for (int number = 0; number < last; ++number) {
    const Stage stage = hierarchy->stage(number, rank, root);
    if (!stage.taken_part_in()) break;
    const bool gets = stage.rank == stage.top;
    const Blocks parts = gets ? Blocks(blocks(number + 1).data(), length(number)) : Blocks();
    const Arguments here{.root = stage.top, .input = have, .receive = parts};
    Task gathered = run_stage(channel, hierarchy->level(number), stage, Operation::gather, here);
    co_await gathered;
    if (gets) have = blocks(number + 1);
  }
  const Stage at_top = hierarchy->rest(last, rank, root);
  const Blocks parts = rank == root ? Blocks(arguments.receive.run(0, 0).data(), length(last)) : Blocks();
  const Arguments among_units{.root = at_top.top, .input = have, .receive = parts};
  Task delivered = run_stage(channel, Level::system, at_top, Operation::gather, among_units);
  co_await delivered;
}

}  // namespace bowline::coll
