// SPDX-License-Identifier: BSD-3-Clause
// coll/collectives, team_channel and team: the blocking calls over real engines. One member is the blocking caller;
// while it waits, its device lets the others, who run the algorithm that they expect it to choose, go on.
#include "coll/calls/collectives.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/calls/drive.hpp"
#include "coll/calls/learn_switches.hpp"
#include "coll/calls/team_channel.hpp"
#include "coll/machine/switch_topology.hpp"
#include "coll/selection/selection.hpp"
#include "dtype/predefined.hpp"
#include "support/network.hpp"

namespace bowline::coll {
namespace {

using MakeTask = std::function<Task(TeamChannel&)>;

class Member {
 public:
  Member(transport::Device& device, int rank, int size)
      : engine_(
            size, [&device](int to) { return device.connect(to, {}); }, WaitPolicy{}, lock_),
        team{.engine = engine_,
             .context = 1,
             .ranks = {},
             .rank = rank,
             .size = size,
             .oversubscribed = false,
             .one_node = false} {
    engine_.add_device(device);
  }
  void start(const MakeTask& make_task) {
    channel_ = std::make_unique<TeamChannel>(team, team.blocking.next_tag(), CallId());
    task_ = std::make_unique<Task>(make_task(*channel_));
    task_->start();
  }
  void go_on() { engine_.progress(); }
  bool failed() const { return channel_->failed(); }
  bool done() const { return task_ == nullptr || task_->done(); }
  void end() {
    if (task_ != nullptr) task_->result();
    task_.reset();
  }

 private:
  OwnerLock lock_;
  proto::Engine engine_;
  std::unique_ptr<TeamChannel> channel_;
  std::unique_ptr<Task> task_;

 public:
  Team team;
};

/// The blocking member's device: lets the others go on whenever it is polled.
class DrivingDevice final : public transport::Device {
 public:
  explicit DrivingDevice(transport::Device& inner) : inner_(inner) {}
  std::string_view name() const override { return "driving"; }
  transport::Address address() const override { return {}; }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override {
    if (peer == unreachable) throw Error(ErrorClass::other, "its memory cannot be mapped");
    return inner_.connect(peer, address);
  }
  unsigned poll(transport::Sink& sink) noexcept override {
    if (++polls > 100'000) {
      std::fputs("the members wait for each other: they run different algorithms\n", stderr);
      std::abort();  // the call that waits cannot be left from here
    }
    if (drive) drive();
    return inner_.poll(sink);
  }
  bool ready() noexcept override { return inner_.ready(); }

  std::function<void()> drive;
  int polls = 0;
  int unreachable = -1;  ///< a peer to which connect() fails

 private:
  transport::Device& inner_;
};

class Collectives : public testing::Test {
 protected:
  static constexpr int size = 5;

  Collectives() {
    members.push_back(std::make_unique<Member>(driver, 0, size));
    for (int rank = 1; rank < size; ++rank)
      members.push_back(std::make_unique<Member>(network.device(rank), rank, size));
    driver.drive = [this] {
      for (int rank = 1; rank < size; ++rank) members[static_cast<std::size_t>(rank)]->go_on();
    };
  }
  Team& team() { return members[0]->team; }
  /// Lets the others come to their end after the blocking call has returned.
  void finish() {
    for (int round = 0; round < 1000; ++round) {
      for (auto& member : members) member->go_on();
    }
    for (auto& member : members) {
      ASSERT_TRUE(member->done());
      member->end();
    }
  }

  test::MemoryNetwork network{size, 4, test::Reach::single_copy};
  DrivingDevice driver{network.device(0)};
  std::vector<std::unique_ptr<Member>> members;
};

/// Everybody carries the operation out: member 0 blocking, the others as tasks.
class Operations : public Collectives {
 protected:
  void everybody(Operation operation, std::vector<Arguments>& arguments) {
    for (int rank = 1; rank < size; ++rank) {
      Member& member = *members[static_cast<std::size_t>(rank)];
      member.start([&](TeamChannel& channel) {
        return begin(channel, operation, arguments[static_cast<std::size_t>(rank)], CallForm::blocking);
      });
    }
    run(team(), operation, arguments[0]);
    finish();
  }

  Reduction sum{*dtype::predefined_op(0x21), *dtype::predefined_datatype(0x258)};
};

TEST_F(Operations, Barrier) {
  std::vector<Arguments> nothing(size);
  everybody(Operation::barrier, nothing);
  for (auto& member : members) member->team.oversubscribed = true;
  everybody(Operation::barrier, nothing);
}

TEST_F(Operations, Bcast) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{200'000}}) {
    std::vector<std::vector<std::byte>> data(size, std::vector<std::byte>(bytes));
    data[3].assign(bytes, std::byte{42});
    std::vector<Arguments> arguments;
    for (auto& mine : data) arguments.push_back({.root = 3, .result = mine});
    everybody(Operation::bcast, arguments);
    for (const auto& mine : data) EXPECT_EQ(mine, data[3]);
  }
}

TEST_F(Operations, ReduceAndAllreduce) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2048}, std::size_t{20'000}}) {
    for (const Operation operation : {Operation::reduce, Operation::allreduce}) {
      std::vector<std::vector<std::int64_t>> data(size, std::vector<std::int64_t>(count));
      std::vector<std::vector<std::int64_t>> result(size, std::vector<std::int64_t>(count));
      std::vector<Arguments> arguments;
      for (std::size_t rank = 0; rank < size; ++rank) {
        for (std::size_t i = 0; i < count; ++i) data[rank][i] = static_cast<std::int64_t>((rank + 1) * (i + 1));
        arguments.push_back({.input = std::as_bytes(std::span(data[rank])), .reduction = &sum});
        if (rank == 0 || operation == Operation::allreduce) {
          arguments[rank].result = std::as_writable_bytes(std::span(result[rank]));
        }
      }
      everybody(operation, arguments);
      for (std::size_t rank = 0; rank < size && (rank == 0 || operation == Operation::allreduce); ++rank) {
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(result[rank][i], static_cast<std::int64_t>(15 * (i + 1)));
          ASSERT_EQ(data[rank][i], static_cast<std::int64_t>((rank + 1) * (i + 1))) << "the input has changed";
        }
      }
    }
  }
}

TEST_F(Operations, ManyInARowKeepApart) {
  // Members run ahead of each other: the tag tells the collectives apart.
  std::vector<std::vector<std::byte>> data(size, std::vector<std::byte>(10));
  std::vector<Arguments> arguments;
  for (auto& mine : data) arguments.push_back({.result = mine});
  for (int round = 0; round < 50; ++round) {
    data[0].assign(10, static_cast<std::byte>(round));
    everybody(Operation::bcast, arguments);
    for (const auto& mine : data) EXPECT_EQ(mine, data[0]);
  }
}

TEST_F(Operations, MembersOnSeveralNodesCompareAlgorithms) {
  constexpr std::size_t bytes = 6000;
  std::vector<std::vector<std::byte>> mine(size, std::vector<std::byte>(bytes));
  std::vector<std::vector<std::byte>> all(size, std::vector<std::byte>(size * bytes));
  std::vector<Arguments> arguments;
  for (std::size_t rank = 0; rank < size; ++rank)
    arguments.push_back({.input = mine[rank], .receive = Blocks(all[rank].data(), bytes)});
  for (int round = 0; round < 40; ++round) {
    for (std::size_t rank = 0; rank < size; ++rank)
      mine[rank].assign(bytes, static_cast<std::byte>(round * size + static_cast<int>(rank)));
    everybody(Operation::allgather, arguments);
    for (const auto& result : all) {
      ASSERT_EQ(result, all[0]);
      for (std::size_t rank = 0; rank < size; ++rank) ASSERT_EQ(result[rank * bytes], mine[rank][0]) << round;
    }
  }
  const Choice& first = choose(team(), team().blocking, Operation::allgather, arguments[0], false);
  ASSERT_NE(first.network_trial, nullptr);
  EXPECT_FALSE(first.network_trial->measured(0)) << "nothing was decided";
  for (auto& member : members) {
    const Choice& choice = choose(member->team, member->team.blocking, Operation::allgather, arguments[0], false);
    EXPECT_EQ(choice.network_trial->in_use().algorithm, first.network_trial->in_use().algorithm);
  }
}

TEST_F(Collectives, AMemberThatSendsMoreFailsTheReceiver) {
  std::vector<std::byte> small(10), large(20);
  const Arguments too_much{.root = 1, .result = large};
  members[1]->start([&](Channel& channel) { return bcast_binomial(channel, too_much); });
  try {
    bcast(team(), 1, small);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::truncate);
    EXPECT_NE(std::string(error.what()).find("20 bytes"), std::string::npos) << error.what();
  }
}

// The other one waits for this member's message, so this one would wait for ever if it waited for the other's.
TEST_F(Collectives, AMemberThatCannotReachAnotherOneFailsAndTellsThoseThatWaitForIt) {
  driver.unreachable = 4;  // to which it sends first
  std::vector<std::vector<std::byte>> data(size, std::vector<std::byte>(10)), all(size, std::vector<std::byte>(50));
  std::vector<Arguments> arguments;
  for (std::size_t i = 0; i < size; ++i)
    arguments.push_back({.input = data[i], .receive = Blocks(all[i].data(), data[i].size())});
  for (std::size_t i = 1; i < size; ++i)
    members[i]->start([&, i](Channel& channel) { return allgather_bruck(channel, arguments[i]); });
  try {
    drive(team(), team().blocking.next_tag(), {},
          [&](Channel& channel) { return allgather_bruck(channel, arguments[0]); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("its memory cannot be mapped"), std::string::npos) << error.what();
  }
  for (int round = 0; round < 1000; ++round) {
    for (auto& member : members) member->go_on();
  }
  EXPECT_TRUE(members[3]->failed());
  EXPECT_TRUE(members[1]->failed());
}

/// Two processes on each node.
class PairsOnNodes final : public Machine {
 public:
  int unit(Level level, int process) const override { return level == Level::node ? process / 2 : -1; }
};

TEST_F(Collectives, ComposedAlgorithmsKnowTheTeamsMachine) {
  const PairsOnNodes machine;
  for (auto& member : members) member->team.machine = &machine;
  const Algorithm& composed = *find_algorithm(Operation::bcast, "hierarchical");
  std::vector<std::vector<std::byte>> data(size, std::vector<std::byte>(100));
  data[3].assign(100, std::byte{42});
  std::vector<Arguments> arguments;
  for (auto& mine : data) arguments.push_back({.root = 3, .result = mine});
  for (int rank = 1; rank < size; ++rank) {
    const Arguments& mine = arguments[static_cast<std::size_t>(rank)];
    members[static_cast<std::size_t>(rank)]->start([&](Channel& channel) { return composed.run(channel, mine); });
  }
  drive(team(), team().blocking.next_tag(), {}, [&](Channel& channel) { return composed.run(channel, arguments[0]); });
  finish();
  for (const auto& mine : data) EXPECT_EQ(mine, data[3]);
  const Hierarchy* const hierarchy = team().hierarchy(team().blocking);
  ASSERT_NE(hierarchy, nullptr);
  EXPECT_EQ(hierarchy->stages(), 2);
  EXPECT_EQ(hierarchy, team().hierarchy(team().blocking)) << "made once";
}

/// The same, with a switch of its own above each pair, which its members alone know of.
class PairsUnderSwitches final : public Machine {
 public:
  explicit PairsUnderSwitches(int here) : here_(here) {}
  int unit(Level level, int process) const override { return level == Level::node ? process / 2 : -1; }
  std::optional<Switches> switches_here() const override {
    return Switches{.leaf = static_cast<std::uint64_t>(here_ / 4 + 1), .group = 0};
  }

 private:
  int here_;
};

TEST_F(Collectives, MembersTellEachOtherOfSwitchesBeforeTheFirstBlockingOperation) {
  std::vector<std::unique_ptr<PairsUnderSwitches>> machines;
  for (int rank = 0; rank < size; ++rank) {
    machines.push_back(std::make_unique<PairsUnderSwitches>(rank));
    Team& each = members[static_cast<std::size_t>(rank)]->team;
    each.place_on(machines.back().get());
    EXPECT_TRUE(each.switches_unknown);
    EXPECT_EQ(each.hierarchy(each.blocking), nullptr);
  }
  ASSERT_NE(team().hierarchy(team().nonblocking), nullptr) << "these calls know the nodes from the beginning";
  std::vector<std::vector<Switches>> told(size, std::vector<Switches>(3));
  std::vector<std::unique_ptr<Hierarchy>> nodes;
  for (int rank = 0; rank < size; ++rank)
    nodes.push_back(
        std::make_unique<Hierarchy>(*machines[static_cast<std::size_t>(rank)], size, [](int i) { return i; }));
  for (int rank = 1; rank < size; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    members[index]->start([&, index, rank](Channel& channel) {
      if (rank % 2 == 0) told[index][index / 2] = *machines[index]->switches_here();
      return exchange_switches(channel, *nodes[index], told[index]);
    });
  }
  learn_switches(team());
  finish();
  const Hierarchy* const hierarchy = team().hierarchy(team().blocking);
  ASSERT_NE(hierarchy, nullptr);
  EXPECT_FALSE(team().switches_unknown);
  EXPECT_EQ(hierarchy->stages(), 3);  // two nodes under the first switch
  EXPECT_EQ(hierarchy->level(1), Level::leaf_switch);
  EXPECT_EQ(TeamChannel(team(), 1001, {}).hierarchy(), hierarchy);
  EXPECT_EQ(team().hierarchy(team().nonblocking)->stages(), 2) << "members may start these before and after";
}

TEST(Team, ATeamOfOneNeedsNobody) {
  test::MemoryNetwork network(1, 4, test::Reach::single_copy);
  Member alone(network.device(0), 0, 1);
  const std::int64_t seven = 7;
  std::int64_t result = 0;
  const Reduction sum{*dtype::predefined_op(0x21), *dtype::predefined_datatype(0x258)};
  Arguments arguments{.input = std::as_bytes(std::span(&seven, 1)),
                      .result = std::as_writable_bytes(std::span(&result, 1)),
                      .reduction = &sum};
  run(alone.team, Operation::barrier, arguments);
  run(alone.team, Operation::allreduce, arguments);
  EXPECT_EQ(result, 7);
  result = 0;
  run(alone.team, Operation::reduce, arguments);
  EXPECT_EQ(result, 7);
  run(alone.team, Operation::bcast, arguments);
  EXPECT_EQ(result, 7);
}

TEST(Team, RemembersAChoiceForCallsLikeTheLastOneOnly) {
  test::MemoryNetwork network(1, 4, test::Reach::single_copy);
  Member alone(network.device(0), 0, 1);
  const Algorithm brief{.name = "brief", .run = nullptr}, lengthy{.name = "lengthy", .run = nullptr};
  const auto rules = std::make_shared<Rules>();
  rules->add({Operation::bcast, {.most_bytes = 8}, &brief});
  rules->add({Operation::bcast, {}, &lengthy});
  alone.team.rules = rules;
  std::vector<std::byte> data(9);
  const Arguments nine{.result = data}, eight{.result = std::span(data).first(8)};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(choose(alone.team, alone.team.blocking, Operation::bcast, eight, false).algorithm, &brief);
    EXPECT_EQ(choose(alone.team, alone.team.blocking, Operation::bcast, eight, false).algorithm, &brief);
    EXPECT_EQ(choose(alone.team, alone.team.blocking, Operation::bcast, nine, false).algorithm, &lengthy);
    EXPECT_NE(choose(alone.team, alone.team.blocking, Operation::scatter, nine, false).algorithm, &lengthy);
  }
}

TEST(Team, TagsStayValidForEver) {
  test::MemoryNetwork network(1, 4, test::Reach::single_copy);
  Member alone(network.device(0), 0, 1);
  CallOrder& blocking = alone.team.blocking;
  blocking.sequence = CallOrder::tags - 2;
  EXPECT_EQ(blocking.next_tag(), CallOrder::tags - 1);
  EXPECT_EQ(blocking.next_tag(), 0);
  EXPECT_EQ(blocking.next_tag(), 1);
  alone.team.nonblocking.sequence = CallOrder::tags - 2;
  EXPECT_EQ(alone.team.nonblocking.next_tag(), Team::first_persistent - 1);
  EXPECT_EQ(alone.team.nonblocking.next_tag(), CallOrder::tags);
  EXPECT_EQ(alone.team.next_persistent_tag(), Team::first_persistent + 1);
  alone.team.persistent = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(alone.team.next_persistent_tag(), Team::first_persistent);
}

TEST(Team, RankMapsAreArithmeticSequences) {
  constexpr RankMap every_third{.first = 2, .stride = 3};
  EXPECT_EQ(every_third.process(0), 2);
  EXPECT_EQ(every_third.process(4), 14);
  EXPECT_EQ(RankMap{}.process(9), 9);
}

}  // namespace
}  // namespace bowline::coll
