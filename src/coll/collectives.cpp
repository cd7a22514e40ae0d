// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collectives.hpp"

#include "coll/drive.hpp"
#include "coll/selection.hpp"

namespace bowline::coll {

Task begin(const Team& team, Channel& channel, Operation operation, Arguments& arguments) {
  const Choice choice = choose(operation, situation_of(team, operation, arguments));
  arguments.segment = choice.segment;
  return choice.algorithm->run(channel, arguments);
}

void run(Team& team, Operation operation, Arguments& arguments) {
  drive(team, team.next_tag(), [&](Channel& channel) { return begin(team, channel, operation, arguments); });
}

void bcast(Team& team, int root, std::span<std::byte> data) {
  Arguments arguments{.root = root, .result = data};
  run(team, Operation::bcast, arguments);
}

void allgather(Team& team, std::span<std::byte> all) {
  const Blocks blocks(all.data(), all.size() / static_cast<std::size_t>(team.size));
  Arguments arguments{.input = blocks[team.rank], .receive = blocks};
  run(team, Operation::allgather, arguments);
}

}  // namespace bowline::coll
