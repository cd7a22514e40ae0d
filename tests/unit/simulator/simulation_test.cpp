// SPDX-License-Identifier: BSD-3-Clause
// simulator/simulation and network: patterns whose times are known in closed form, contention, and mistakes.
#include "simulator/simulation.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "patterns.hpp"

namespace bowline::sim {
namespace {

const coll::Algorithm& algorithm(coll::Operation operation, std::string_view name) {
  return *coll::find_algorithm(operation, name);
}

TEST(Simulation, ShortPingPongThroughMemory) {
  const Report report =
      simulate(Cluster(uniform(), 1, 2), [](coll::Channel& channel) { return ping_pong(channel, 40); });
  // Copied in, on its way, copied out: twice.
  EXPECT_EQ(report.end, nanoseconds(2 * (100 + 40 + 1000 + 200 + 40)));
  const Traffic& traffic = report.traffic[static_cast<std::size_t>(Level::socket)];
  EXPECT_EQ(traffic.messages, 2U);
  EXPECT_EQ(traffic.bytes, 80U);
}

TEST(Simulation, ShortPingPongBetweenNodes) {
  const Report report =
      simulate(Cluster(uniform(), 2, 1), [](coll::Channel& channel) { return ping_pong(channel, 40); });
  EXPECT_EQ(report.end, nanoseconds(2 * (100 + 40 + 2 * 40 + 1000 + 200 + 40)));
  EXPECT_EQ(report.traffic[static_cast<std::size_t>(Level::leaf_switch)].messages, 2U);
}

TEST(Simulation, LongMessagesMeetFirst) {
  const std::size_t bytes = 10'000;
  // The announcement travels for 1000 ns, and so does the answer.
  const Report far = simulate(Cluster(uniform(), 2, 1), [=](coll::Channel& channel) { return halves(channel, bytes); });
  EXPECT_EQ(far.end, nanoseconds(100 + 2 * 1000 + 2 * bytes + 1000 + 200));
  // The receiver copies the last piece when the sender has written it.
  const Report near =
      simulate(Cluster(uniform(), 1, 2), [=](coll::Channel& channel) { return halves(channel, bytes); });
  EXPECT_EQ(near.end, nanoseconds(100 + 2 * 1000 + bytes + 1000 + 500 + 200));
}

TEST(Simulation, BinomialBroadcastTakesTheLogarithm) {
  // Whoever sends first to the largest subtree is followed by a chain of log2 n messages.
  for (int rounds = 1; rounds <= 7; ++rounds) {
    const Report report =
        simulate(Cluster(uniform(), 1 << rounds, 1), {.operation = coll::Operation::bcast, .bytes = 8},
                 algorithm(coll::Operation::bcast, "binomial"));
    const std::uint64_t message = 100 + 8 + 2 * 8 + 1000 + 200 + 8;
    EXPECT_EQ(report.end, nanoseconds(static_cast<std::uint64_t>(rounds) * message));
  }
}

TEST(Simulation, WorkOfAMemberIsCharged) {
  const Report report = simulate(Cluster(uniform(), 1, 2), {.operation = coll::Operation::allreduce, .bytes = 40},
                                 algorithm(coll::Operation::allreduce, "recursive_doubling"));
  EXPECT_EQ(report.end, nanoseconds(5 * 40 + (100 + 40 + 1000 + 200 + 40) + 3 * 40));
  EXPECT_EQ(report.scratch_of_one, 40U);
  EXPECT_EQ(report.scratch_of_all, 80U);
  EXPECT_EQ(report.frames.frames, 2U);
}

TEST(Simulation, ANodesAdapterCarriesOneMessageAfterTheOther) {
  const auto end = [](int pairs, std::size_t bytes) {
    return simulate(Cluster(uniform(), 2, pairs), [=](coll::Channel& channel) { return halves(channel, bytes); }).end;
  };
  const std::uint64_t alone = 100 + 400 + 2 * 400 + 1000 + 200 + 400;
  EXPECT_EQ(end(1, 400), nanoseconds(alone));
  EXPECT_EQ(end(5, 400), nanoseconds(alone + 4 * 2 * 400));
  EXPECT_EQ(end(5, 0), nanoseconds(100 + 4 * 10 + 1000 + 200));  // the gap between messages without data
}

TEST(Simulation, SwitchesShareTheirUplinks) {
  const auto end = [](int uplinks, Switches switches) {
    Parameters machine = uniform();
    machine.uplinks_per_switch = uplinks;
    machine.switches = switches;
    return simulate(Cluster(machine, 8, 1), [](coll::Channel& channel) { return halves(channel, 400); }).end;
  };
  const std::uint64_t alone = 100 + 400 + 2 * 400 + 1000 + 200 + 400;
  EXPECT_EQ(end(4, Switches::fat_tree), nanoseconds(alone));
  EXPECT_EQ(end(2, Switches::fat_tree), nanoseconds(alone + 2 * 400));
  EXPECT_EQ(end(1, Switches::fat_tree), nanoseconds(alone + 3 * 2 * 400));
  EXPECT_EQ(end(4, Switches::dragonfly), nanoseconds(alone + 3 * 2 * 400));  // one link between two switches
}

/// Nodes with a switch each, two of them to a group; the lower half of the nodes sends 400 bytes to the upper half.
struct Far {
  Time end;
  LinkLoad load;  ///< of the links of one kind
};
Far between_groups(Switches switches, int nodes, int uplinks_per_group, Network::Kind kind) {
  Parameters machine = uniform();
  machine.switches = switches;
  machine.nodes_per_switch = 1;
  machine.switches_per_group = 2;
  machine.uplinks_per_switch = 1;
  machine.uplinks_per_group = uplinks_per_group;
  const Cluster cluster(machine, nodes, 1);
  Simulation simulation(cluster, nullptr);
  const Report report = simulation.run([](coll::Channel& channel, int) { return halves(channel, 400); });
  return {report.end, simulation.network().load(kind)};
}

// Sent, copied in, 2 ns a byte on the way, latency, received, copied out.
constexpr std::uint64_t alone_between_groups = 100 + 400 + 2 * 400 + 1000 + 200 + 400;

TEST(Simulation, GroupsOfAFatTreeShareTheirUplinks) {
  // Nodes 0 and 1 send to 2 and 3. Of two uplinks the destination chooses one; with a single one the second waits.
  const Far apart = between_groups(Switches::fat_tree, 4, 2, Network::Kind::group_up);
  EXPECT_EQ(apart.end, nanoseconds(alone_between_groups));
  EXPECT_EQ(apart.load.links, 2U);
  EXPECT_EQ(apart.load.most_messages, 1U);
  const Far together = between_groups(Switches::fat_tree, 4, 1, Network::Kind::group_up);
  EXPECT_EQ(together.end, nanoseconds(alone_between_groups + 2 * 400));
  EXPECT_EQ(together.load.links, 1U);
  EXPECT_EQ(together.load.most_messages, 2U);
  EXPECT_EQ(together.load.busiest, 2 * 2 * 400);
}

TEST(Simulation, GroupsOfADragonflyShareOneLink) {
  // Between two groups there is one link, which both messages take. Node 0 reaches it by way of switch 1, where it
  // begins, and node 3 is reached by way of switch 2, where it ends: one message over a link within either group.
  const Far together = between_groups(Switches::dragonfly, 4, 1, Network::Kind::global);
  EXPECT_EQ(together.end, nanoseconds(alone_between_groups + 2 * 400));
  EXPECT_EQ(together.load.links, 1U);
  EXPECT_EQ(together.load.most_messages, 2U);
  EXPECT_EQ(together.load.busiest, 2 * 2 * 400);
  EXPECT_EQ(between_groups(Switches::dragonfly, 4, 1, Network::Kind::local).load.links, 2U);
  // Among three groups, nodes 0, 1 and 2 send to 3, 4 and 5, and each pair of groups has a link of its own.
  const Far apart = between_groups(Switches::dragonfly, 6, 1, Network::Kind::global);
  EXPECT_EQ(apart.end, nanoseconds(alone_between_groups));
  EXPECT_EQ(apart.load.links, 3U);
  EXPECT_EQ(apart.load.most_messages, 1U);
}

TEST(Simulation, SharedCoresCostChangesOfProcess) {
  Parameters machine = uniform();
  machine.cores_per_node = 1;
  const Report report = simulate(Cluster(machine, 1, 2), [](coll::Channel& channel) { return ping_pong(channel, 0); });
  // Rank 0 sends and waits; rank 1 gets the core, finds the message and answers; rank 0 gets the core back, by when the
  // answer is there.
  EXPECT_EQ(report.end, nanoseconds(100 + 5000 + 200 + 100 + 5000 + 200));
}

Task ping_pong_past_another(coll::Channel& channel) {
  const int next = (channel.rank() + 1) % 3, before = (channel.rank() + 2) % 3;
  if (channel.rank() == 0) {
    auto ping = channel.send(before, {});
    co_await ping;
    auto pong = channel.receive(before, {});
    co_await pong;
    auto over = channel.send(next, {});
    co_await over;
  } else if (channel.rank() == 1) {
    auto over = channel.receive(before, {});
    co_await over;
  } else {
    auto ping = channel.receive(next, {});
    co_await ping;
    auto pong = channel.send(next, {});
    co_await pong;
  }
}

TEST(Simulation, WhoHasNothingToDoHandsTheCoreOnAtOnce) {
  Parameters machine = uniform();
  machine.cores_per_node = 1;
  const Report report = simulate(Cluster(machine, 1, 3), ping_pong_past_another);
  // Between rank 0 and rank 2 rank 1 has its turn, in which there is nothing for it yet.
  EXPECT_EQ(report.end, nanoseconds(100 + 2 * 5000 + 200 + 100 + 5000 + 200 + 100 + 5000 + 200));
}

TEST(Simulation, SidesOfALongMessageOnOneCoreFillAndEmptyTheBufferInTurns) {
  Parameters machine = uniform();
  machine.cores_per_node = 1;
  machine.ring = 2000;
  const Report report =
      simulate(Cluster(machine, 1, 2), [](coll::Channel& channel) { return halves(channel, 10'000); });
  // The sender announces, the receiver accepts, and then each of them has the core five times for 2000 bytes.
  const std::uint64_t handed_over = 1 + 1 + 5 + 4;
  EXPECT_EQ(report.end, nanoseconds(100 + handed_over * 5000 + 2 * 10'000 + 200));
}

TEST(Simulation, ShortMessagesWaitForRoomUntilTheirReceiverLooks) {
  Parameters machine = uniform();
  machine.cores_per_node = 1;
  const auto end = [&machine](double ring) {
    machine.ring = ring;
    const Cluster cluster(machine, 1, 2);
    Simulation simulation(cluster, nullptr);
    return simulation.run([](coll::Channel& channel, int) { return halves(channel, 36); }, 10).end;
  };
  // Ten messages of 100 bytes with their headers: all before the receiver's only turn, or four at a time.
  EXPECT_LT(end(1000), nanoseconds(1000));
  EXPECT_GT(end(400), nanoseconds(1500));
}

TEST(Simulation, RunsTheSameEveryTime) {
  const Cluster cluster(default_parameters(), 50, 6, Placement::cyclic);
  const Call call{.operation = coll::Operation::allreduce, .bytes = 4096};
  const Report first = simulate(cluster, call, algorithm(coll::Operation::allreduce, "recursive_doubling"));
  const Report second = simulate(cluster, call, algorithm(coll::Operation::allreduce, "recursive_doubling"));
  EXPECT_EQ(first.end, second.end);
  EXPECT_EQ(first.events, second.events);
  EXPECT_GT(first.events, 0U);
}

std::string failure_of(const Body& body) {
  try {
    simulate(Cluster(uniform(), 1, 3), body);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

Task waits_for_the_next(coll::Channel& channel) {
  auto never = channel.receive((channel.rank() + 1) % channel.size(), {});
  co_await never;
}

Task sends_to_the_next(coll::Channel& channel) {
  auto sent = channel.send((channel.rank() + 1) % channel.size(), {});
  co_await sent;
}

Task disagrees(coll::Channel& channel) {
  const std::span<std::byte> data(untouchable(0), channel.rank() == 0 ? 7 : 8);
  if (channel.rank() == 0) {
    auto sent = channel.send(1, data);
    co_await sent;
  } else if (channel.rank() == 1) {
    auto arrived = channel.receive(0, data);
    co_await arrived;
  }
}

TEST(Simulation, TellsWhatIsWrongWithAnAlgorithm) {
  EXPECT_NE(failure_of(waits_for_the_next).find("3 of 3 members wait for each other"), std::string::npos);
  EXPECT_NE(failure_of(sends_to_the_next).find("nobody received what member"), std::string::npos);
  EXPECT_EQ(failure_of(disagrees), "member 0 sends 7 bytes to member 1, which receives 8");
}

}  // namespace
}  // namespace bowline::sim
