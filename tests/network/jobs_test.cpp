// SPDX-License-Identifier: BSD-3-Clause
// Two processes of different jobs over UCX on loopback: each finds the other's address under its job and rank, and
// their messages carry the index that the receiver has for the sender.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "comm/process_table.hpp"
#include "dtype/predefined.hpp"
#include "proto/engine.hpp"
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
        engine(
            size, [this](int peer) { return transports.connect(0, peer, engine); }, WaitPolicy{}, lock) {
    transports.add_devices(0, engine);
  }
  /// As when the jobs are connected.
  void meet(const std::string& job, int size, int self) {
    processes.add(job, size);
    engine.grow_to(processes.size(), self);
  }
  FakeWireup wireup;
  comm::ProcessTable processes;
  Transports transports;
  OwnerLock lock;
  proto::Engine engine;
};

proto::Buffer buffer(Bytes& bytes) {
  return {bytes.data(), bytes.size(), &dtype::byte_type()};
}

TEST(Jobs, ProcessesOfDifferentJobsTalk) {
  Published published;
  Process here(published, "here", 1, 2);
  Process there(published, "there", 4, 5);
  here.meet("there", 5, 6);
  there.meet("here", 2, 6);
  const int to_there = *here.processes.index_of({"there", 4});
  const int to_here = *there.processes.index_of({"here", 1});
  EXPECT_EQ(to_there, 6);
  EXPECT_EQ(to_here, 6);
  Bytes question(200'000, std::byte{5}), answer(8, std::byte{6}), heard(200'000), answered(8);
  proto::Request& asks = here.engine.isend(to_there, {.context = context, .source = 1, .tag = 1}, buffer(question));
  proto::Request& hears = there.engine.ireceive({context, 1, 1}, buffer(heard));
  proto::Request& gets = here.engine.ireceive({context, 4, 2}, buffer(answered));
  proto::Request& answers = there.engine.isend(to_here, {.context = context, .source = 4, .tag = 2}, buffer(answer));
  const auto deadline = Clock::now() + patience;
  while (!asks.done || !hears.done || !gets.done || !answers.done) {
    here.engine.progress();
    there.engine.progress();
    ASSERT_LT(Clock::now(), deadline) << "nothing comes any more";
  }
  EXPECT_EQ(heard, question);
  EXPECT_EQ(answered, answer);
  for (proto::Request* const request : {&asks, &gets}) here.engine.release(*request);
  for (proto::Request* const request : {&hears, &answers}) there.engine.release(*request);
}

TEST(Jobs, WithoutANetworkOthersAreOutOfReach) {
  const test::Setting reach{"network_reach", "never"};
  Published published;
  Process here(published, "here", 1, 2);
  here.meet("there", 5, 2);
  try {
    here.engine.peer(3);
    ADD_FAILURE() << "there is no way";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("rank 1 of job there"), std::string::npos) << text;
    EXPECT_NE(text.find("BOWLINE_NETWORK_REACH=everywhere"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace bowline::runtime
