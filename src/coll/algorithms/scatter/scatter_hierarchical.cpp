// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scatter/scatter.hpp"
#include "coll/selection/composed.hpp"

namespace bowline::coll {

Task scatter_hierarchical(Channel& channel, const Arguments& arguments) {
  const Hierarchy* const hierarchy = channel.hierarchy();
  const int last = hierarchy == nullptr ? 0 : hierarchy->uniform_stages();
  if (last == 0) {
    Task flat = run_flat(channel, Operation::scatter, arguments);
    co_await flat;
    co_return;
  }
  const int rank = channel.rank();
  const int root = arguments.root;
  const std::size_t block = arguments.result.size();
  const auto length = [&](int stage) { return static_cast<std::size_t>(hierarchy->members_each(stage)) * block; };
  const int stands_from = stands_for_units(*hierarchy, last, rank, root);
  const Scratch memory(channel, rank == root || stands_from == 0 ? 0 : length(stands_from));
  // The place of the blocks of the members that this member represents in a stage.
  const auto blocks = [&](int stage) -> std::span<std::byte> {
    if (rank != root) return stage == 0 ? arguments.result : memory.first(length(stage));
    const int each = hierarchy->members_each(stage);
    return stage == 0 ? arguments.result : arguments.send.run(rank / each * each, each);
  };

  const Stage at_top = hierarchy->rest(last, rank, root);
  const Blocks all = rank == root ? Blocks(arguments.send.run(0, 0).data(), length(last)) : Blocks();
  const Arguments among_units{
      .root = at_top.top, .result = stands_from == last ? blocks(last) : std::span<std::byte>(), .send = all};
  Task handed_out = run_stage(channel, Level::system, at_top, Operation::scatter, among_units);
  co_await handed_out;

  for (int number = last - 1; number >= 0; --number) {
    const Stage stage = hierarchy->stage(number, rank, root);
    if (!stage.taken_part_in()) continue;
    const Blocks parts = stage.rank == stage.top ? Blocks(blocks(number + 1).data(), length(number)) : Blocks();
    const Arguments here{.root = stage.top, .result = blocks(number), .send = parts};
    Task spread = run_stage(channel, hierarchy->level(number), stage, Operation::scatter, here);
    co_await spread;
  }
}

}  // namespace bowline::coll
