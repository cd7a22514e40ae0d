// SPDX-License-Identifier: BSD-3-Clause
#include "coll/calls/inter.hpp"

#include <algorithm>

#include "coll/calls/collectives.hpp"
#include "coll/channel/sliding_window.hpp"
#include "coll/channel/subchannel.hpp"

namespace bowline::coll {
namespace {

/// The two groups in the channel of all members. The first member of each group is its leader and represents it.
struct Sides {
  Members local;
  Members remote;
  Team* team;  ///< the local group

  bool leads(const Channel& all) const noexcept { return all.rank() == local[0]; }
  SubChannel group(Channel& all) const noexcept { return {all, local, all.rank() - local.first}; }
};

/// An operation within this member's group; `group` is the channel of that group.
Task within(const Sides& sides, SubChannel& group, Operation operation, Arguments& arguments) {
  return select(*sides.team, operation, arguments).run(group, arguments);
}

/// No member leaves before the leaders have learned that the other group is complete.
Task barrier_inter(Channel& all, Sides sides) {
  SubChannel group = sides.group(all);
  Arguments nothing;
  Task assembled = within(sides, group, Operation::barrier, nothing);
  co_await assembled;
  if (sides.leads(all)) {
    auto told = all.send(sides.remote[0], {});
    auto heard = all.receive(sides.remote[0], {});
    co_await told;
    co_await heard;
  }
  Task released = within(sides, group, Operation::barrier, nothing);
  co_await released;
}

Task bcast_inter(Channel& all, Sides sides, const Arguments& arguments) {
  const int root = arguments.root;
  if (root == all.rank()) {
    auto sent = all.send(sides.remote[0], arguments.result);
    co_await sent;
  } else if (root >= 0) {
    SubChannel group = sides.group(all);
    if (sides.leads(all)) {
      auto arrived = all.receive(root, arguments.result);
      co_await arrived;
    }
    Arguments spread{.root = 0, .result = arguments.result};
    Task done = within(sides, group, Operation::bcast, spread);
    co_await done;
  }
}

/// Gather and scatter, with blocks of any length: the root exchanges a message with each member of the other group.
Task gather_inter(Channel& all, Sides sides, const Arguments& arguments) {
  if (arguments.root == all.rank()) {
    TransferWindow<16> window;
    for (int i = 0; i < sides.remote.count; ++i) {
      auto vacancy = room(window);
      co_await vacancy;
      window.push(all.receive(sides.remote[i], arguments.receive[i]));
    }
    Task drained = drain(window);
    co_await drained;
  } else if (arguments.root >= 0) {
    auto sent = all.send(arguments.root, arguments.input);
    co_await sent;
  }
}

Task scatter_inter(Channel& all, Sides sides, const Arguments& arguments) {
  if (arguments.root == all.rank()) {
    TransferWindow<16> window;
    for (int i = 0; i < sides.remote.count; ++i) {
      auto vacancy = room(window);
      co_await vacancy;
      window.push(all.send(sides.remote[i], arguments.send[i]));
    }
    Task drained = drain(window);
    co_await drained;
  } else if (arguments.root >= 0) {
    auto arrived = all.receive(arguments.root, arguments.result);
    co_await arrived;
  }
}

/// Allgather and alltoall: each member sends to each member of the other group, either always its input or a block for
/// each.
///
/// In step k, member i sends to member i + k and receives from member i - k, counted modulo the larger group: so each
/// step of a member matches the same step of its partners, and no cycle of waiting members forms.
Task exchange_inter(Channel& all, Sides sides, const Arguments& arguments, bool same_for_all) {
  const int mine = all.rank() - sides.local.first;
  const int steps = std::max(sides.local.count, sides.remote.count);
  TransferWindow<16> window;
  for (int k = 0; k < steps; ++k) {
    const int to = (mine + k) % steps;
    const int from = (mine - k + steps) % steps;
    for (const bool sends : {false, true}) {
      if ((sends ? to : from) >= sides.remote.count) continue;
      auto vacancy = room(window);
      co_await vacancy;
      if (sends) {
        window.push(all.send(sides.remote[to], same_for_all ? arguments.input : arguments.send[to]));
      } else {
        window.push(all.receive(sides.remote[from], arguments.receive[from]));
      }
    }
  }
  Task drained = drain(window);
  co_await drained;
}

/// The root receives the result of the other group from that group's leader.
Task reduce_inter(Channel& all, Sides sides, const Arguments& arguments) {
  if (arguments.root == all.rank()) {
    auto arrived = all.receive(sides.remote[0], arguments.result);
    co_await arrived;
  } else if (arguments.root >= 0) {
    SubChannel group = sides.group(all);
    const bool leader = sides.leads(all);
    const Scratch ours(all, leader ? arguments.input.size() : 0);
    Arguments part{.root = 0, .input = arguments.input, .result = ours, .reduction = arguments.reduction};
    Task reduced = within(sides, group, Operation::reduce, part);
    co_await reduced;
    if (leader) {
      auto sent = all.send(arguments.root, ours);
      co_await sent;
    }
  }
}

/// Gives the leader the reduced contributions of the other group: each leader reduces those of its group and sends the
/// result to the other leader.
Task reduce_across(Channel& all, Sides sides, const Arguments& arguments, std::span<std::byte> theirs) {
  SubChannel group = sides.group(all);
  const bool leader = sides.leads(all);
  const Scratch ours(all, leader ? arguments.input.size() : 0);
  Arguments part{.root = 0, .input = arguments.input, .result = ours, .reduction = arguments.reduction};
  Task reduced = within(sides, group, Operation::reduce, part);
  co_await reduced;
  if (leader) {
    auto arrived = all.receive(sides.remote[0], theirs);
    auto sent = all.send(sides.remote[0], ours);
    co_await sent;
    co_await arrived;
  }
}

Task allreduce_inter(Channel& all, Sides sides, const Arguments& arguments) {
  SubChannel group = sides.group(all);
  Task across = reduce_across(all, sides, arguments, arguments.result);
  co_await across;
  Arguments spread{.root = 0, .result = arguments.result};
  Task done = within(sides, group, Operation::bcast, spread);
  co_await done;
}

Task reduce_scatter_inter(Channel& all, Sides sides, const Arguments& arguments) {
  SubChannel group = sides.group(all);
  const Scratch theirs(all, sides.leads(all) ? arguments.input.size() : 0);
  Task across = reduce_across(all, sides, arguments, theirs);
  co_await across;
  Arguments dealt{.root = 0, .result = arguments.result, .send = arguments.receive.from(theirs.data())};
  const bool uniform = arguments.receive.uniform();
  Task done = within(sides, group, uniform ? Operation::scatter : Operation::scatterv, dealt);
  co_await done;
}

}  // namespace

Task begin_inter(Team& local, bool local_first, Channel& channel, Operation operation, const Arguments& arguments) {
  const int remote = channel.size() - local.size;
  const Sides sides{.local = {.count = local.size, .first = local_first ? 0 : remote},
                    .remote = {.count = remote, .first = local_first ? local.size : 0},
                    .team = &local};
  switch (operation) {
    case Operation::barrier:
      return barrier_inter(channel, sides);
    case Operation::bcast:
      return bcast_inter(channel, sides, arguments);
    case Operation::gather:
    case Operation::gatherv:
      return gather_inter(channel, sides, arguments);
    case Operation::scatter:
    case Operation::scatterv:
      return scatter_inter(channel, sides, arguments);
    case Operation::allgather:
    case Operation::allgatherv:
      return exchange_inter(channel, sides, arguments, true);
    case Operation::alltoall:
    case Operation::alltoallv:
      return exchange_inter(channel, sides, arguments, false);
    case Operation::reduce:
      return reduce_inter(channel, sides, arguments);
    case Operation::allreduce:
      return allreduce_inter(channel, sides, arguments);
    case Operation::reduce_scatter_block:
    case Operation::reduce_scatter:
      return reduce_scatter_inter(channel, sides, arguments);
    case Operation::scan:
    case Operation::exscan:
    case Operation::neighbor_allgather:
    case Operation::neighbor_alltoall:
      break;
  }
  throw Error(ErrorClass::intern, "this collective operation does not exist on intercommunicators");
}

}  // namespace bowline::coll
