// SPDX-License-Identifier: BSD-3-Clause
// Processes of another job, which become known while the engine runs: they are peers like all others, by their process
// indices. Nothing below src/comm knows of jobs.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "comm/process_table.hpp"
#include "recording.hpp"
#include "support/network.hpp"

namespace bowline::proto {
namespace {

/// Rank 0 of a job of four; another job of 80 is connected by connect().
class OtherJob : public ProtocolTest {
 protected:
  static constexpr int ranks_there = 80;
  static constexpr int rank_there = 70;
  void connect() {
    first = table.add("there", ranks_there);
    engine.grow_to(table.size());
    peer = first + rank_there;
  }
  comm::ProcessTable table{"here", 4};
  int first = 0;
  int peer = 0;
  Bytes data = pattern(100);
};

TEST_F(OtherJob, MessagesGoToItsProcessesAndComeFromThem) {
  Bytes early(100), late(100);
  Request& from_anyone = ireceive(any_source, 7, early);  // older than the job's connection
  engine.send(1, header(0, 1), buffer(data));
  connect();
  EXPECT_EQ(peer, 74);
  engine.send(peer, header(0, 7), buffer(data));
  EXPECT_EQ(latest(Kind::eager).rank, peer);
  EXPECT_EQ(device.connections, 2);
  device.deliver(peer, header(rank_there, 7), data);
  engine.wait(from_anyone);
  EXPECT_EQ(from_anyone.status.source, rank_there);
  EXPECT_EQ(early, data);
  engine.release(from_anyone);
  device.deliver(peer, header(rank_there, 8), data);
  EXPECT_EQ(engine.receive({context, rank_there, 8}, buffer(late)).bytes, data.size());
  engine.send(1, header(0, 1), buffer(data));
  EXPECT_EQ(device.connections, 2);  // the peers that were known are those that they were
}

TEST_F(OtherJob, TheJobIsNoPeerBeforeItIsConnected) {
  engine.send(1, header(0, 1), buffer(data));
  device.deliver(1, header(rank_there, 7), data);  // more sources than there are processes
  engine.progress();
  EXPECT_EQ(latest(Kind::broken_off).rank, 1);
}

TEST_F(OtherJob, ADeviceWithoutMemoryIsToldAgain) {
  first = table.add("there", ranks_there);
  device.no_room_to_grow = true;
  EXPECT_THROW(engine.grow_to(table.size()), std::bad_alloc);
  device.no_room_to_grow = false;
  connect();
  EXPECT_EQ(device.processes, 84);
  engine.send(peer, header(0, 7), buffer(data));
  EXPECT_EQ(latest(Kind::eager).rank, peer);
}

TEST_F(OtherJob, SentencesSayWhichJob) {
  connect();
  const auto loss_of = [&](int process) {
    device.refuse = [=](int rank) { return rank == process; };
    device.only_lost = process;
    Request& send = isend(process, 1, data);
    engine.wait(send);
    const Failure failure = send.failure;
    engine.release(send);
    return failure;
  };
  const Failure near = loss_of(2);
  EXPECT_TRUE(std::string(near->what()).starts_with("rank 2 has ended")) << near->what();
  EXPECT_EQ(near->lost(), 2);
  const Failure far = loss_of(peer);
  EXPECT_TRUE(std::string(far->what()).starts_with("rank 70 of job there has ended")) << far->what();
  EXPECT_EQ(far->lost(), -1);  // other processes know it by other indices
}

TEST_F(OtherJob, RanksAreToldWithinAJobOnly) {
  connect();
  const Error loss(ErrorClass::proc_failed, "rank 2 has ended", 2);
  engine.send_failure(1, header(0, 7), loss);
  EXPECT_EQ(latest(Kind::failure).read<FailureNotice>().lost, 2);
  engine.send_failure(peer, header(0, 7), loss);
  EXPECT_EQ(latest(Kind::failure).read<FailureNotice>().lost, -1);
  const FailureNotice notice{.error_class = static_cast<std::int32_t>(ErrorClass::proc_failed), .lost = first};
  device.deliver(1, Kind::failure, notice, header(1, 7));
  engine.progress();
  EXPECT_EQ(latest(Kind::broken_off).rank, 1);
}

// ---- two jobs

/// A device of the network of both jobs. The process behind it knows the devices by other numbers, its process indices.
class Renumbered final : public transport::Device, private transport::Sink {
 public:
  /// `places`: the number on the network of each process, by its index here.
  Renumbered(transport::Device& inner, std::vector<int> places) : inner_(inner), places_(std::move(places)) {}

  std::string_view name() const override { return inner_.name(); }
  transport::Address address() const override { return inner_.address(); }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override {
    return inner_.connect(places_.at(static_cast<std::size_t>(peer)), address);
  }
  unsigned poll(transport::Sink& sink) noexcept override {
    sink_ = &sink;
    return inner_.poll(*this);
  }
  bool ready() noexcept override { return inner_.ready(); }

 private:
  int index_of(int place) const { return static_cast<int>(std::ranges::find(places_, place) - places_.begin()); }
  void arrived(int place, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body) override {
    sink_->arrived(index_of(place), header, prefix, body);
  }
  void broken(int place, const Failure& why) noexcept override { sink_->broken(index_of(place), why); }

  transport::Device& inner_;
  std::vector<int> places_;
  transport::Sink* sink_ = nullptr;
};

struct Process {
  Process(const char* job, int ranks, transport::Device& network, std::vector<int> places)
      : table(job, ranks), device(network, std::move(places)), engine(ranks, connect(), WaitPolicy{}, lock) {
    engine.add_device(device);
  }
  /// As both sides do when the jobs are connected.
  void meet(const char* job, int ranks) {
    table.add(job, ranks);
    engine.grow_to(table.size());
  }
  Engine::Connect connect() {
    return [this](int process) { return device.connect(process, {}); };
  }
  comm::ProcessTable table;
  Renumbered device;
  OwnerLock lock;
  Engine engine;
};

TEST(TwoJobs, ExchangeMessagesOfAllLengths) {
  for (const test::Reach reach : {test::Reach::nothing, test::Reach::get, test::Reach::put}) {
    // On the network: ranks 0 and 1 of "here", then ranks 0, 1 and 2 of "there".
    test::MemoryNetwork network(5, 4, reach);
    Process here("here", 2, network.device(1), {0, 1, 2, 3, 4});
    Process there("there", 3, network.device(4), {2, 3, 4, 0, 1});
    here.meet("there", 3);
    there.meet("here", 2);
    const int to_there = *here.table.index_of({"there", 2});
    const int to_here = *there.table.index_of({"here", 1});
    EXPECT_EQ(std::pair(to_there, to_here), std::pair(4, 4));
    constexpr std::uint32_t context = make_context(1, 0, Purpose::point_to_point);
    for (const std::size_t bytes : {8U, 5'000U, 300'000U}) {
      Bytes question = pattern(bytes, 1), answer = pattern(bytes, 2), heard(bytes), answered(bytes);
      const auto buffer = [](Bytes& all) { return Buffer{all.data(), all.size(), &dtype::byte_type()}; };
      Request& asks = here.engine.isend(to_there, {.context = context, .source = 1, .tag = 5}, buffer(question));
      Request& hears = there.engine.ireceive({context, any_source, 5}, buffer(heard));
      Request& answers = there.engine.isend(to_here, {.context = context, .source = 2, .tag = 6}, buffer(answer));
      Request& gets = here.engine.ireceive({context, 2, 6}, buffer(answered));
      const std::vector<std::pair<Engine*, Request*>> all = {
          {&here.engine, &asks}, {&there.engine, &hears}, {&there.engine, &answers}, {&here.engine, &gets}};
      const auto done = [](const auto& each) { return static_cast<bool>(each.second->done); };
      for (int round = 0; round < 10'000 && !std::ranges::all_of(all, done); ++round) {
        here.engine.progress();
        there.engine.progress();
      }
      ASSERT_TRUE(std::ranges::all_of(all, done)) << bytes;
      EXPECT_EQ(hears.status.source, 1);
      EXPECT_EQ(heard, question);
      EXPECT_EQ(answered, answer);
      for (const auto& [engine, request] : all) engine->release(*request);
    }
  }
}

}  // namespace
}  // namespace bowline::proto
