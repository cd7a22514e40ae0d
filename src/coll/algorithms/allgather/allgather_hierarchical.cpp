// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather/allgather.hpp"
#include "coll/selection/composed.hpp"

namespace bowline::coll {

Task allgather_hierarchical(Channel& channel, const Arguments& arguments) {
  const Hierarchy* const hierarchy = channel.hierarchy();
  const int last = hierarchy == nullptr ? 0 : hierarchy->uniform_stages();
  if (last == 0) {
    Task flat = run_flat(channel, Operation::allgather, arguments);
    co_await flat;
    co_return;
  }
  const int rank = channel.rank();
  const Blocks& all = arguments.receive;

  std::span<const std::byte> have = arguments.input;
  for (int number = 0; number < last; ++number) {
    const Stage stage = hierarchy->stage(number, rank, 0);
    if (!stage.taken_part_in()) break;
    const Arguments here{.root = stage.top, .input = have, .receive = Blocks(all.run(rank, 0).data(), have.size())};
    Task gathered = run_stage(channel, hierarchy->level(number), stage, Operation::gather, here);
    co_await gathered;
    have = all.run(rank, hierarchy->members_each(number + 1));  // blocks of all members that this member represents
  }

  const Stage at_top = hierarchy->rest(last, rank, 0);
  const Arguments among_units{.input = have, .receive = Blocks(all.run(0, 0).data(), have.size())};
  Task exchanged = run_stage(channel, Level::system, at_top, Operation::allgather, among_units);
  co_await exchanged;

  for (int number = last - 1; number >= 0; --number) {
    const Stage stage = hierarchy->stage(number, rank, 0);
    const Arguments here{.root = stage.top, .result = all.run(0, channel.size())};
    Task spread = run_stage(channel, hierarchy->level(number), stage, Operation::bcast, here);
    co_await spread;
  }
}

}  // namespace bowline::coll
