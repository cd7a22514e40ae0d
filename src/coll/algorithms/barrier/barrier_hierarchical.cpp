// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/barrier/barrier.hpp"
#include "coll/selection/composed.hpp"

namespace bowline::coll {

Task barrier_hierarchical(Channel& channel, const Arguments& arguments) {
  const Hierarchy* const hierarchy = channel.hierarchy();
  if (hierarchy == nullptr) {
    Task flat = run_flat(channel, Operation::barrier, arguments);
    co_await flat;
    co_return;
  }
  const int rank = channel.rank();
  const int last = hierarchy->stages() - 1;
  const Scratch word(channel, 1);  // a signal has one byte, because algorithms may skip empty data

  for (int number = 0; number < last; ++number) {  // the representative of the unit learns that all have arrived
    const Stage stage = hierarchy->stage(number, rank, 0);
    if (!stage.taken_part_in()) break;
    const Scratch words(channel, stage.rank == stage.top ? static_cast<std::size_t>(stage.members.count) : 0);
    const Arguments here{.root = stage.top, .input = word.first(1), .receive = Blocks(words.data(), 1)};
    Task reported = run_stage(channel, hierarchy->level(number), stage, Operation::gather, here);
    co_await reported;
  }
  const Stage at_top = hierarchy->stage(last, rank, 0);
  Task met = run_stage(channel, hierarchy->level(last), at_top, Operation::barrier, arguments);
  co_await met;
  for (int number = last - 1; number >= 0; --number) {
    const Stage stage = hierarchy->stage(number, rank, 0);
    const Arguments here{.root = stage.top, .result = word.first(1)};
    Task released = run_stage(channel, hierarchy->level(number), stage, Operation::bcast, here);
    co_await released;
  }
}

}  // namespace bowline::coll
