// SPDX-License-Identifier: BSD-3-Clause
// Processes of different jobs, connected by hand: they share memory if they run on one node, and talk over UCX on
// loopback otherwise, which is loaded then. Their messages carry the index that the receiver has for the sender. One of
// them leaves.
#include "runtime/jobs/jobs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "comm/process_table.hpp"
#include "dtype/predefined.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "runtime/transports.hpp"
#include "support/quiet_wireup.hpp"
#include "support/setting.hpp"
#include "support/ucx_on_loopback.hpp"

namespace bowline::runtime {
namespace {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{20};
constexpr std::uint32_t context = proto::make_context(1, 0, proto::Purpose::point_to_point);

/// What the launcher of all jobs knows.
using Published = std::map<std::tuple<std::string, int, std::string>, Bytes>;

class FakeWireup final : public test::QuietWireup {
 public:
  FakeWireup(Published& published, const std::string& job, int rank, int size) : published_(published) {
    identity_.job = job;
    identity_.rank = rank;
    identity_.size = size;
    identity_.local_ranks = {rank};
    identity_.nodes = size;
  }
  void publish(const std::string& key, std::span<const std::byte> value) override {
    published_[{identity_.job, identity_.rank, key}].assign(value.begin(), value.end());
  }
  Bytes lookup(const ProcessId& of, const std::string& key) override {
    return published_.at({std::string(of.job), of.rank, key});
  }

 private:
  Published& published_;
};

struct Process {
  Process(Published& published, const std::string& job, int rank, int size)
      : wireup(published, job, rank, size),
        processes(wireup.identity().job, size),
        transports(wireup, processes, "here", 1, {}),
        lanes(transports.sleeper()),
        engine(
            size, [this](int peer) { return transports.connect(0, peer, engine); }, WaitPolicy{}, lock, &lanes),
        jobs(wireup.identity(), processes, transports, lanes) {
    lanes.add(engine);
    transports.add_devices(0, engine);
  }
  int index_of(const Process& other) const {
    return processes.index_of({other.wireup.identity().job, other.wireup.identity().rank}).value();
  }
  FakeWireup wireup;
  comm::ProcessTable processes;
  Transports transports;
  proto::Lanes lanes;
  OwnerLock lock;
  proto::Engine engine;
  Jobs jobs;
};

/// A job of which some processes take part in a connection, in ascending order of their ranks.
using Members = std::vector<Process*>;

Side side_of(const Members& members, std::uint64_t node) {
  const wireup::Identity& identity = members.front()->wireup.identity();
  Side side{identity.job, identity.size, {}};
  for (Process* const each : members) side.members.push_back({each->wireup.identity().rank, node});
  return side;
}

/// Connects two jobs as their processes would do it together. `elsewhere`: the second runs on another node.
void connect(std::uint32_t id, const Members& here, const Members& there, bool elsewhere) {
  const Side near = side_of(here, this_node()), far = side_of(there, elsewhere ? 1 : this_node());
  std::vector<std::vector<Contact>> to_far, to_near;  // by who tells, the same for each of the others
  for (Process* const each : here) to_far.emplace_back(there.size(), each->jobs.prepare(id, near, far));
  for (Process* const each : there) to_near.emplace_back(here.size(), each->jobs.prepare(id, far, near));
  const auto told_to = [](const auto& all, std::size_t whom) {
    std::vector<Contact> told;
    for (const auto& each : all) told.push_back(Contact::read(each[whom].bytes()));
    return told;
  };
  for (std::size_t i = 0; i < here.size(); ++i) here[i]->jobs.connect(id, told_to(to_near, i));
  for (std::size_t i = 0; i < there.size(); ++i) there[i]->jobs.connect(id, told_to(to_far, i));
}

proto::Buffer buffer(Bytes& bytes) {
  return {bytes.data(), bytes.size(), &dtype::byte_type()};
}

/// Each sends to the other and receives from it, long and short.
void exchange(Process& one, Process& other) {
  Bytes question(200'000, std::byte{5}), answer(8, std::byte{6}), heard(200'000), answered(8);
  const int own = one.wireup.identity().rank, of_other = other.wireup.identity().rank;
  proto::Request& asks =
      one.engine.isend(one.index_of(other), {.context = context, .source = own, .tag = 1}, buffer(question));
  proto::Request& hears = other.engine.ireceive({context, own, 1}, buffer(heard));
  proto::Request& gets = one.engine.ireceive({context, of_other, 2}, buffer(answered));
  proto::Request& answers =
      other.engine.isend(other.index_of(one), {.context = context, .source = of_other, .tag = 2}, buffer(answer));
  const auto deadline = Clock::now() + patience;
  while (!asks.done || !hears.done || !gets.done || !answers.done) {
    one.engine.progress();
    other.engine.progress();
    ASSERT_LT(Clock::now(), deadline) << "nothing comes any more";
  }
  EXPECT_EQ(heard, question);
  EXPECT_EQ(answered, answer);
  for (proto::Request* const request : {&asks, &gets}) one.engine.release(*request);
  for (proto::Request* const request : {&hears, &answers}) other.engine.release(*request);
}

/// All return when all have called it.
void disconnect(std::uint32_t id, const std::vector<Process*>& members) {
  std::vector<std::thread> threads;
  for (Process* const each : members) threads.emplace_back([=] { each->jobs.disconnect(id); });
  for (std::thread& thread : threads) thread.join();
}

/// Whether the sender learns that the other one has left: its send ends, and need not be received.
bool has_left(Process& one, const Process& other) {
  return one.engine.peer(one.index_of(other)).has_left();
}

class Jobs : public testing::TestWithParam<bool> {
 protected:
  static bool elsewhere() { return GetParam(); }
  Published published;
};

TEST_P(Jobs, ProcessesTalkUntilTheyPart) {
  Process here(published, "here", 1, 2);
  Process there(published, "there", 4, 5), neighbour(published, "there", 2, 5);
  connect(7, {&here}, {&neighbour, &there}, elsewhere());
  EXPECT_EQ(here.index_of(there), 6);
  EXPECT_EQ(there.index_of(here), 6);
  exchange(here, there);
  exchange(neighbour, here);
  disconnect(7, {&here, &neighbour, &there});
  EXPECT_TRUE(has_left(here, there));
  EXPECT_TRUE(has_left(there, here));
  connect(9, {&here}, {&there}, elsewhere());
  exchange(there, here);
  EXPECT_TRUE(has_left(here, neighbour));
}

TEST_P(Jobs, EachNumbersTheOthersForItself) {
  Process a(published, "a", 0, 1), b(published, "b", 0, 2), b1(published, "b", 1, 2), c(published, "c", 2, 3);
  connect(1, {&b}, {&c}, elsewhere());
  connect(2, {&a}, {&c}, elsewhere());
  connect(3, {&a}, {&b, &b1}, elsewhere());
  EXPECT_EQ(b.index_of(a), 5);
  EXPECT_EQ(b1.index_of(a), 2);
  exchange(a, b);
  exchange(b1, a);
  exchange(c, a);
  exchange(c, b);
  disconnect(2, {&a, &c});
  exchange(a, b);
  exchange(b, c);
  EXPECT_TRUE(has_left(a, c));
}

INSTANTIATE_TEST_SUITE_P(Of, Jobs, testing::Bool(),
                         [](const auto& node) { return node.param ? "OtherNodes" : "OneNode"; });

TEST(JobsApart, WithoutANetworkOtherNodesAreOutOfReach) {
  const test::Setting reach{"network_reach", "never"};
  Published published;
  Process here(published, "here", 0, 1), there(published, "there", 1, 5);
  const Side far = side_of({&there}, 1);
  here.jobs.prepare(1, side_of({&here}, 2), far);
  here.jobs.connect(1, std::vector<Contact>(1));
  try {
    here.engine.peer(here.index_of(there));
    ADD_FAILURE() << "there is no way";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("rank 1 of job there"), std::string::npos) << text;
    EXPECT_NE(text.find("BOWLINE_NETWORK_REACH=never"), std::string::npos) << text;
  }
}

TEST(JobsApart, WhatIsNoContactIsRefused) {
  EXPECT_THROW(static_cast<void>(Contact::read(Bytes(5))), Error);
  EXPECT_THROW(static_cast<void>(Contact::read({})), Error);
}

}  // namespace
}  // namespace bowline::runtime
