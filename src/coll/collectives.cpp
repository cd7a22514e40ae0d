// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collectives.hpp"

#include "base/tunable.hpp"
#include "coll/drive.hpp"

namespace bowline::coll {
namespace {

Tunable<std::size_t> doubling_limit{"allreduce_doubling_limit", 16 << 10, 0, std::size_t{1} << 40,
                                    "longest data that MPI_Allreduce combines by recursive doubling, in bytes"};

/// Runs one collective of the team.
template <class MakeTask>
void run(Team& team, MakeTask make_task) {
  drive(team, team.next_tag(), make_task);
}

}  // namespace

void barrier(Team& team) {
  if (team.size == 1) return;
  run(team, [&](Channel& channel) { return team.crowded ? barrier_central(channel) : barrier_dissemination(channel); });
}

void bcast(Team& team, int root, std::span<std::byte> data) {
  if (team.size == 1) return;
  run(team, [&](Channel& channel) { return bcast_binomial(channel, root, data); });
}

void reduce(Team& team, int root, const Reduction& reduction, std::span<std::byte> data) {
  if (team.size == 1) return;
  run(team, [&](Channel& channel) { return reduce_binomial(channel, root, reduction, data); });
}

void allreduce(Team& team, const Reduction& reduction, std::span<std::byte> data) {
  if (team.size == 1) return;
  run(team, [&](Channel& channel) {
    return data.size() <= doubling_limit.value() ? allreduce_recursive_doubling(channel, reduction, data)
                                                 : allreduce_reduce_bcast(channel, reduction, data);
  });
}

void allgather(Team& team, std::span<std::byte> all) {
  if (team.size == 1) return;
  run(team, [&](Channel& channel) { return allgather_bruck(channel, all); });
}

}  // namespace bowline::coll
