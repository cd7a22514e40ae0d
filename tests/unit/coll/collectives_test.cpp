// SPDX-License-Identifier: BSD-3-Clause
// coll/collectives, team_channel and team: the blocking calls over real engines. One member is the blocking caller;
// while it waits, its device lets the others, who run the algorithm that they expect it to choose, go on.
#include "coll/collectives.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "coll/team_channel.hpp"
#include "dtype/predefined.hpp"
#include "support/network.hpp"
#include "support/setting.hpp"

namespace bowline::coll {
namespace {

using MakeTask = std::function<Task(Channel&)>;

class Member {
 public:
  Member(transport::Device& device, int rank, int size)
      : engine_(
            size, [&device](int to) { return device.connect(to, {}); }, WaitPolicy{}, lock_),
        team{.engine = engine_, .context = 1, .ranks = {}, .rank = rank, .size = size, .crowded = false} {
    engine_.add_device(device);
  }
  void start(const MakeTask& make_task) {
    channel_ = std::make_unique<TeamChannel>(team, team.next_tag());
    task_ = std::make_unique<Task>(make_task(*channel_));
    task_->start();
  }
  void go_on() { engine_.progress(); }
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
    return inner_.connect(peer, address);
  }
  unsigned poll(transport::Sink& sink) override {
    if (++polls > 100'000) throw std::runtime_error("the members wait for each other: they run different algorithms");
    if (drive) drive();
    return inner_.poll(sink);
  }
  bool ready() noexcept override { return inner_.ready(); }

  std::function<void()> drive;
  int polls = 0;

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
  /// Starts the others; `make_task` gets the rank.
  void others(const std::function<Task(Channel&, int)>& make_task) {
    for (int rank = 1; rank < size; ++rank) {
      members[static_cast<std::size_t>(rank)]->start([&](Channel& channel) { return make_task(channel, rank); });
    }
  }
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

  test::MemoryNetwork network{size, 4, test::Reach::attached};
  DrivingDevice driver{network.device(0)};
  std::vector<std::unique_ptr<Member>> members;
};

TEST_F(Collectives, Barrier) {
  others([](Channel& channel, int) { return barrier_dissemination(channel); });
  barrier(team());
  finish();
}

TEST_F(Collectives, ACrowdedTeamsBarrierIsCentral) {
  for (auto& member : members) member->team.crowded = true;
  others([](Channel& channel, int) { return barrier_central(channel); });
  barrier(team());
  finish();
}

TEST_F(Collectives, Bcast) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{200'000}}) {
    std::vector<std::vector<std::byte>> data(size, std::vector<std::byte>(bytes));
    data[3].assign(bytes, std::byte{42});
    others(
        [&](Channel& channel, int rank) { return bcast_binomial(channel, 3, data[static_cast<std::size_t>(rank)]); });
    bcast(team(), 3, data[0]);
    finish();
    for (const auto& mine : data) EXPECT_EQ(mine, data[3]);
  }
}

class Reductions : public Collectives {
 protected:
  void fill(std::size_t count) {
    data.assign(size, std::vector<std::int64_t>(count));
    for (std::size_t rank = 0; rank < size; ++rank) {
      for (std::size_t i = 0; i < count; ++i) data[rank][i] = static_cast<std::int64_t>((rank + 1) * (i + 1));
    }
  }
  Reduction sum() const { return {*dtype::predefined_op(0x21), *dtype::predefined_datatype(0x258), data[0].size()}; }
  std::span<std::byte> bytes(int rank) {
    return std::as_writable_bytes(std::span(data[static_cast<std::size_t>(rank)]));
  }
  void expect_sum(int rank) const {
    const auto& mine = data[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < mine.size(); ++i) ASSERT_EQ(mine[i], static_cast<std::int64_t>(15 * (i + 1)));
  }
  std::vector<std::vector<std::int64_t>> data;
};

TEST_F(Reductions, Reduce) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{20'000}}) {
    fill(count);
    const Reduction how = sum();
    others([&](Channel& channel, int rank) { return reduce_binomial(channel, 0, how, bytes(rank)); });
    reduce(team(), 0, how, bytes(0));
    finish();
    expect_sum(0);
  }
}

TEST_F(Reductions, AllreduceOfShortDataDoubles) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2048}}) {  // 2048 x 8 bytes is the limit
    fill(count);
    const Reduction how = sum();
    others([&](Channel& channel, int rank) { return allreduce_recursive_doubling(channel, how, bytes(rank)); });
    allreduce(team(), how, bytes(0));
    finish();
    for (int rank = 0; rank < size; ++rank) expect_sum(rank);
  }
}

TEST_F(Reductions, AllreduceOfLongDataReducesAndSpreads) {
  const test::Setting setting("allreduce_doubling_limit", "16K");
  fill(2049);
  const Reduction how = sum();
  others([&](Channel& channel, int rank) { return allreduce_reduce_bcast(channel, how, bytes(rank)); });
  allreduce(team(), how, bytes(0));
  finish();
  for (int rank = 0; rank < size; ++rank) expect_sum(rank);
}

TEST_F(Collectives, ManyInARowKeepApart) {
  // Members run ahead of each other: the tag tells the collectives apart.
  std::vector<std::vector<std::byte>> data(size, std::vector<std::byte>(10));
  for (int round = 0; round < 50; ++round) {
    data[0].assign(10, static_cast<std::byte>(round));
    others(
        [&](Channel& channel, int rank) { return bcast_binomial(channel, 0, data[static_cast<std::size_t>(rank)]); });
    bcast(team(), 0, data[0]);
    finish();
    for (const auto& mine : data) EXPECT_EQ(mine, data[0]);
  }
}

TEST_F(Collectives, AMemberThatSendsMoreFailsTheReceiver) {
  std::vector<std::byte> small(10), large(20);
  others([&](Channel& channel, int) { return bcast_binomial(channel, 1, large); });
  try {
    bcast(team(), 1, small);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::truncate);
    EXPECT_NE(std::string(error.what()).find("20 bytes"), std::string::npos) << error.what();
  }
}

TEST(Team, ATeamOfOneNeedsNobody) {
  test::MemoryNetwork network(1, 4, test::Reach::attached);
  Member alone(network.device(0), 0, 1);
  std::vector<std::int64_t> data{7};
  const Reduction sum{*dtype::predefined_op(0x21), *dtype::predefined_datatype(0x258), 1};
  barrier(alone.team);
  bcast(alone.team, 0, std::as_writable_bytes(std::span(data)));
  reduce(alone.team, 0, sum, std::as_writable_bytes(std::span(data)));
  allreduce(alone.team, sum, std::as_writable_bytes(std::span(data)));
  EXPECT_EQ(data[0], 7);
}

TEST(Team, TagsStayValidForEver) {
  test::MemoryNetwork network(1, 4, test::Reach::attached);
  Member alone(network.device(0), 0, 1);
  alone.team.sequence = 0x7ffffffe;
  EXPECT_EQ(alone.team.next_tag(), 0x7fffffff);
  EXPECT_EQ(alone.team.next_tag(), 0);
  EXPECT_EQ(alone.team.next_tag(), 1);
}

TEST(Team, RankMapsAreArithmeticSequences) {
  constexpr RankMap every_third{.first = 2, .stride = 3};
  EXPECT_EQ(every_third.world(0), 2);
  EXPECT_EQ(every_third.world(4), 14);
  EXPECT_EQ(RankMap{}.world(9), 9);
}

}  // namespace
}  // namespace bowline::coll
