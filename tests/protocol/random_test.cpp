// SPDX-License-Identifier: BSD-3-Clause
// Random traffic between several engines over a network that refuses, delays and lets senders overtake each other:
// every message arrives whole, and in MPI's order, whatever the transport, the protocol, the order of posting and the
// wildcards.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "recording.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"
#include "support/network.hpp"
#include "support/seed.hpp"
#include "support/setting.hpp"
#include "transport/faulty.hpp"

namespace bowline::proto::random_traffic {
namespace {

constexpr int ranks = 3;
constexpr int messages_per_pair = 120;
constexpr int tags = 3;
constexpr std::size_t longest = 60'000;

struct Planned {
  int from;
  int to;
  int tag;
  std::size_t bytes;
  unsigned seed;
};

/// How a rank asks for its messages; `probed`: for those that a probe has found.
enum class Asking { exact, any_tag, anything, probed };

/// Whether messages of one source and different tags may be received in another order than they were sent.
constexpr bool by_tag(Asking asking) {
  return asking == Asking::exact || asking == Asking::probed;
}

/// What carries the messages below the faults: a network in memory whose memory can be reached in one of four ways, or
/// shared memory, with long messages by each path, or by the one that is measured to be the fastest.
enum class Carrier { copy, single_copy, get, put, shm_short, shm_long, shm_single_copy, shm_both, shm_measured };

class Network {
 public:
  explicit Network(Carrier carrier) {
    if (carrier < Carrier::shm_short) {
      constexpr std::array reaches{test::Reach::nothing, test::Reach::single_copy, test::Reach::get, test::Reach::put};
      memory_.emplace(ranks, 8, reaches[static_cast<std::size_t>(carrier)]);
      return;
    }
    constexpr std::array paths{"short_pieces", "long_pieces", "single_copy", "single_copy_by_both", "measured"};
    path_.emplace("long_messages",
                  paths[static_cast<std::size_t>(carrier) - static_cast<std::size_t>(Carrier::shm_short)]);
    for (int rank = 0; rank < ranks; ++rank) {
      inboxes_.push_back(std::make_unique<shm::Inbox>(ranks, 1));
      shm_.push_back(std::make_unique<shm::ShmDevice>(*inboxes_.back(), 0, rank, all_ranks()));
    }
  }
  transport::Device& device(int rank) {
    return memory_ ? memory_->device(rank) : *shm_[static_cast<std::size_t>(rank)];
  }

 private:
  static std::vector<int> all_ranks() {
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    return all;
  }

  std::optional<test::MemoryNetwork> memory_;
  test::Setting ring_size_{"shm_ring_size", "16K"};  // so short that it is often full
  std::optional<test::Setting> path_;
  std::vector<std::unique_ptr<shm::Inbox>> inboxes_;
  std::vector<std::unique_ptr<shm::ShmDevice>> shm_;
};

struct Sent {
  int tag;
  Bytes data;
  Request* request = nullptr;
};

struct Received {
  Bytes data;
  Request* request;
};

struct Process {
  Process(Network& network, int rank, std::uint32_t seed)
      : device(network.device(rank), seed),
        engine(
            ranks, [this, &network](int to) { return device.connect(to, network.device(to).address()); }, WaitPolicy{},
            lock) {
    engine.add_device(device);
  }
  transport::FaultyDevice device;
  OwnerLock lock;
  Engine engine;
  std::array<std::vector<Sent>, ranks> sent;                            ///< by receiver
  std::array<std::array<std::vector<Received>, tags>, ranks> received;  ///< by source and tag as they were asked for
};

using Parameters = std::tuple<Asking, Carrier>;

class Random : public testing::TestWithParam<Parameters> {
 protected:
  static std::size_t random_size(std::mt19937& random) {
    switch (random() % 5) {
      case 0:
        return 0;
      case 1:
        return random() % 64;
      case 2:
        return random() % 8192;
      default:
        return random() % longest;
    }
  }

  /// Messages from every rank to every rank, itself included.
  static std::vector<Planned> make_plan(std::mt19937& random) {
    std::vector<Planned> plan;
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) {
        for (int i = 0; i < messages_per_pair; ++i) {
          plan.push_back(
              {from, to, static_cast<int>(random() % tags), random_size(random), static_cast<unsigned>(random())});
        }
      }
    }
    return plan;
  }

  void make_processes(std::uint32_t seed, Carrier carrier) {
    processes.clear();
    network = std::make_unique<Network>(carrier);
    for (int rank = 0; rank < ranks; ++rank) {
      processes.push_back(std::make_unique<Process>(*network, rank, seed * 1000 + static_cast<std::uint32_t>(rank)));
    }
  }
  void send_one(const Planned& plan) {
    Process& process = *processes[static_cast<std::size_t>(plan.from)];
    auto& sent = process.sent[static_cast<std::size_t>(plan.to)];
    sent.push_back({plan.tag, pattern(plan.bytes, plan.seed)});
    Sent& message = sent.back();
    message.request = &process.engine.isend(plan.to, {.context = test_context, .source = plan.from, .tag = plan.tag},
                                            {message.data.data(), message.data.size(), &dtype::byte_type()});
  }
  /// False if there is nothing to ask for yet.
  bool receive_one(const Planned& plan, Asking asking) {
    const bool named = asking == Asking::exact || asking == Asking::any_tag;
    Process& process = *processes[static_cast<std::size_t>(plan.to)];
    Match match{test_context, named ? plan.from : any_source, asking == Asking::exact ? plan.tag : any_tag};
    std::size_t room = longest;
    if (asking == Asking::probed) {
      Status found;
      if (!process.engine.iprobe(match, found)) return false;
      match = {test_context, found.source, found.tag};
      room = found.bytes;
    }
    auto& list = process.received[static_cast<std::size_t>(std::max(match.source, 0))]
                                 [static_cast<std::size_t>(by_tag(asking) ? match.tag : 0)];
    Bytes data(room, std::byte{0xee});
    const Buffer buffer{data.data(), data.size(), &dtype::byte_type()};
    list.push_back({std::move(data), &process.engine.ireceive(match, buffer)});
    return true;
  }
  void progress_all() {
    for (auto& process : processes) process->engine.progress();
  }
  /// Makes progress until everything has ended; false if it does not within reason.
  bool finish() {
    for (int round = 0; round < 200'000; ++round) {
      progress_all();
      if (round % 64 == 0 && all_done()) return true;
    }
    return false;
  }
  bool all_done() const {
    for (const auto& process : processes) {
      for (const auto& messages : process->sent) {
        for (const Sent& message : messages) {
          if (!message.request->done) return false;
        }
      }
      for (const auto& lists : process->received) {
        for (const auto& list : lists) {
          for (const Received& message : list) {
            if (!message.request->done) return false;
          }
        }
      }
    }
    return true;
  }

  /// Within each list of receives that accept the same messages, the n-th from a source (and tag) got its n-th message.
  void check_receiver(int to, Asking asking) {
    Process& process = *processes[static_cast<std::size_t>(to)];
    std::array<std::array<std::size_t, tags>, ranks> next{};
    for (auto& lists : process.received) {
      for (auto& list : lists) {
        for (Received& message : list) {
          const Status& status = message.request->status;
          ASSERT_EQ(status.error, ErrorClass::success);
          auto& place =
              next[static_cast<std::size_t>(status.source)][static_cast<std::size_t>(by_tag(asking) ? status.tag : 0)];
          check_message(to, status, message.data, place, asking);
          process.engine.release(*message.request);
        }
      }
    }
  }
  void check_message(int to, const Status& status, const Bytes& data, std::size_t& place, Asking asking) {
    const auto& sent = processes[static_cast<std::size_t>(status.source)]->sent[static_cast<std::size_t>(to)];
    if (by_tag(asking)) {
      while (place < sent.size() && sent[place].tag != status.tag) ++place;
    }
    ASSERT_LT(place, sent.size());
    const Sent& expected = sent[place++];
    EXPECT_EQ(status.tag, expected.tag);
    ASSERT_EQ(status.bytes, expected.data.size());
    EXPECT_TRUE(std::equal(expected.data.begin(), expected.data.end(), data.begin()));
    EXPECT_TRUE(std::all_of(data.begin() + static_cast<std::ptrdiff_t>(status.bytes), data.end(),
                            [](std::byte b) { return b == std::byte{0xee}; }));
  }

  std::unique_ptr<Network> network;
  std::vector<std::unique_ptr<Process>> processes;
};

TEST_P(Random, EveryMessageArrivesWholeAndInOrder) {
  const auto [asking, carrier] = GetParam();
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    make_processes(seed, carrier);
    const std::vector<Planned> plan = make_plan(random);
    std::vector<Planned> sends = plan;
    std::vector<Planned> receives = plan;
    std::shuffle(sends.begin(), sends.end(), random);
    std::shuffle(receives.begin(), receives.end(), random);
    for (int patience = 200'000; !sends.empty() || !receives.empty(); --patience) {
      ASSERT_GT(patience, 0) << receives.size() << " messages were never found";
      if (receives.empty() || (!sends.empty() && random() % 2 == 0)) {
        send_one(sends.back());
        sends.pop_back();
      } else if (receive_one(receives.back(), asking)) {
        receives.pop_back();
      } else {
        std::swap(receives.back(), receives[random() % receives.size()]);
      }
      if (random() % 4 == 0) progress_all();
    }
    ASSERT_TRUE(finish()) << "something never ended";
    for (int rank = 0; rank < ranks; ++rank) check_receiver(rank, asking);
    for (auto& process : processes) {
      for (auto& messages : process->sent) {
        for (Sent& message : messages) process->engine.release(*message.request);
      }
      process->engine.drain();
    }
  }
}

std::string name_of(const testing::TestParamInfo<Parameters>& info) {
  static constexpr const char* askings[] = {"Exact", "AnyTag", "Anything", "Probed"};
  static constexpr const char* carriers[] = {"ByCopy",  "SingleCopy",    "ByGet",   "ByPut",      "ShmShort",
                                             "ShmLong", "ShmSingleCopy", "ShmBoth", "ShmMeasured"};
  return std::string(askings[static_cast<int>(std::get<0>(info.param))]) +
         carriers[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(
    Traffic, Random,
    testing::Combine(testing::Values(Asking::exact, Asking::any_tag, Asking::anything, Asking::probed),
                     testing::Values(Carrier::copy, Carrier::single_copy, Carrier::get, Carrier::put,
                                     Carrier::shm_short, Carrier::shm_long, Carrier::shm_single_copy, Carrier::shm_both,
                                     Carrier::shm_measured)),
    name_of);

}  // namespace
}  // namespace bowline::proto::random_traffic
