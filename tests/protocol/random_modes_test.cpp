// SPDX-License-Identifier: BSD-3-Clause
// Random traffic in which everything is mixed: all modes of sending and receiving, cancelling, and budgets so small
// that senders are throttled again and again. Nothing is lost, doubled, changed or reordered, and everything ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "counted.hpp"
#include "proto/sending/bsend_buffer.hpp"
#include "recording.hpp"
#include "support/network.hpp"
#include "support/seed.hpp"
#include "support/setting.hpp"
#include "transport/faulty.hpp"

namespace bowline::proto::mixed_traffic {
namespace {

constexpr int ranks = 3;
constexpr int tags = 3;

/// Two contexts, so that one may be paused while the other is not.
constexpr std::uint32_t context_of(std::size_t tag) {
  return make_context(1 + tag % 2, 0, Purpose::point_to_point);
}

constexpr std::size_t longest = 40'000;

/// One message of rank `from`: its number, which stands at its beginning, counts those with this receiver and tag.
struct Sent {
  int to;
  int tag;
  unsigned number;
  Bytes data;
  Request* request;  ///< nullptr: buffered
};

struct Receiving {
  std::size_t order;  ///< of posting
  Bytes data;
  Request* request;
};

/// Which receive got which message.
using Log = std::vector<std::pair<std::size_t, unsigned>>;

struct Process {
  Process(test::MemoryNetwork& network, int rank_, std::uint32_t seed)
      : rank(rank_), device(network.device(rank_), seed) {
    engine.add_device(device);
    buffered.attach_automatic();
  }
  int rank;
  transport::FaultyDevice device;
  OwnerLock lock;
  Engine engine{ranks, [this](int to) { return device.connect(to, {}); }, WaitPolicy{}, lock};
  BsendBuffer buffered;
  std::vector<Sent> sent;
  std::vector<std::unique_ptr<Receiving>> receiving;
  std::vector<Unexpected*> taken;
  std::map<std::tuple<int, int>, unsigned> next_number;  ///< by receiver and tag
  std::map<std::tuple<int, int>, Log> got;               ///< by source and tag
  std::size_t posted = 0;
  std::size_t received = 0;
};

Buffer buffer_of(Bytes& bytes) {
  return {bytes.data(), bytes.size(), &dtype::byte_type()};
}

std::uint64_t throttled() {
  return counted("throttled_senders");
}

using Parameters = std::tuple<test::Reach, bool>;  // and whether the budget is small

class RandomModes : public testing::TestWithParam<Parameters> {
 protected:
  void make_processes(std::uint32_t seed) {
    random.seed(seed);
    processes.clear();
    network = std::make_unique<test::MemoryNetwork>(ranks, 8, std::get<0>(GetParam()));
    for (int rank = 0; rank < ranks; ++rank) {
      processes.push_back(std::make_unique<Process>(*network, rank, seed * 1000 + static_cast<std::uint32_t>(rank)));
    }
  }
  bool chance(unsigned percent) { return random() % 100 < percent; }
  Process& any_process() { return *processes[random() % ranks]; }

  /// The contents of a message follow from its number, sender and tag.
  static Bytes contents(int from, int tag, unsigned number, std::size_t bytes) {
    Bytes data = pattern(bytes, number * 31 + static_cast<unsigned>(from * 7 + tag));
    std::memcpy(data.data(), &number, sizeof number);
    return data;
  }

  void send_one(Process& process) {
    const int to = static_cast<int>(random() % ranks);
    const int tag = static_cast<int>(random() % tags);
    const unsigned number = process.next_number[{to, tag}]++;
    const std::size_t bytes = sizeof number + random() % (chance(70) ? 2000 : longest - sizeof number);
    Sent message{to, tag, number, contents(process.rank, tag, number, bytes), nullptr};
    const transport::Header header{
        .context = context_of(static_cast<std::size_t>(tag)), .source = process.rank, .tag = tag};
    const Buffer buffer = buffer_of(message.data);
    switch (random() % 4) {
      case 0:
        process.buffered.send(process.engine, to, header, buffer);
        std::ranges::fill(message.data, std::byte{0});
        break;
      case 1:
        message.request = &process.engine.isend(to, header, buffer, Mode::synchronous);
        break;
      case 2:
        message.request = &process.engine.make_send(to, header, buffer, Mode::standard);
        process.engine.start(*message.request);
        break;
      default:
        message.request = &process.engine.isend(to, header, buffer);
    }
    process.sent.push_back(std::move(message));
  }

  /// Receives ask for one source and one tag, so that all that accept a message are served in the order of posting.
  void receive_one(Process& process) {
    auto receiving = std::make_unique<Receiving>(Receiving{process.posted++, Bytes(longest), nullptr});
    const int source = static_cast<int>(random() % ranks);
    const int tag = static_cast<int>(random() % tags);
    const Match match{context_of(static_cast<std::size_t>(tag)), source, tag};
    const Buffer buffer = buffer_of(receiving->data);
    if (chance(30)) {
      Unexpected* const message = process.engine.improbe(match);
      if (message == nullptr) return;
      receiving->request = &process.engine.ireceive(*message, buffer);
    } else if (chance(20)) {
      receiving->request = &process.engine.make_receive(match, buffer);
      process.engine.start(*receiving->request);
    } else {
      receiving->request = &process.engine.ireceive(match, buffer);
    }
    process.receiving.push_back(std::move(receiving));
  }

  void cancel_one(Process& process) {
    if (process.receiving.empty()) return;
    process.engine.cancel(*process.receiving[random() % process.receiving.size()]->request);
  }

  /// Checks and gives back the receives that have ended.
  void collect(Process& process) {
    for (auto& receiving : process.receiving) {
      Request& request = *receiving->request;
      if (!request.done) continue;
      if (!request.status.cancelled) check(process, *receiving);
      request.persistent = false;  // gives it back for good
      process.engine.release(request);
      receiving.reset();
    }
    std::erase(process.receiving, nullptr);
  }
  void check(Process& process, const Receiving& receiving) {
    const auto& [order, data, request] = receiving;
    const Status& status = request->status;
    ASSERT_EQ(status.error, ErrorClass::success);
    ASSERT_GE(status.bytes, sizeof(unsigned));
    unsigned number;
    std::memcpy(&number, data.data(), sizeof number);
    const Bytes expected = contents(status.source, status.tag, number, status.bytes);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), data.begin())) << "message " << number;
    process.got[{status.source, status.tag}].emplace_back(order, number);
    ++process.received;
  }
  std::size_t expected_at(const Process& process) const {
    std::size_t count = 0;
    for (const auto& sender : processes) {
      for (int tag = 0; tag < tags; ++tag) {
        const auto found = sender->next_number.find({process.rank, tag});
        if (found != sender->next_number.end()) count += found->second;
      }
    }
    return count;
  }
  bool all_received() const {
    return std::ranges::all_of(processes, [&](const auto& each) { return each->received == expected_at(*each); });
  }

  /// Posts receives of anything until all messages are here, and waits for everything that was begun.
  bool finish() {
    for (int round = 0; round < 100'000; ++round) {
      for (auto& process : processes) {
        if (process->receiving.empty() && process->received < expected_at(*process)) {
          auto receiving = std::make_unique<Receiving>(Receiving{process->posted++, Bytes(longest), nullptr});
          receiving->request =
              &process->engine.ireceive({context_of(process->posted), any_source, any_tag}, buffer_of(receiving->data));
          process->receiving.push_back(std::move(receiving));
        }
        // Receives of what nobody has sent: taken back, if they are not matched just now.
        if (round % 20 == 19) {
          for (auto& receiving : process->receiving) process->engine.cancel(*receiving->request);
        }
        process->engine.progress();
        collect(*process);
        if (testing::Test::HasFatalFailure()) return false;
      }
      if (all_received()) return true;
    }
    return false;
  }
  void end_sends() {
    for (int round = 0; round < 2000; ++round) {
      for (auto& process : processes) process->engine.progress();
    }
    for (auto& process : processes) {
      for (Sent& message : process->sent) {
        if (message.request == nullptr) continue;
        ASSERT_TRUE(message.request->done) << "message " << message.number << " to " << message.to;
        EXPECT_EQ(message.request->status.error, ErrorClass::success);
        message.request->persistent = false;
        process->engine.release(*message.request);
      }
      EXPECT_TRUE(process->buffered.left(process->buffered.latest()));
      process->engine.drain();
    }
  }

  std::mt19937 random;
  std::unique_ptr<test::MemoryNetwork> network;
  std::vector<std::unique_ptr<Process>> processes;
};

TEST_P(RandomModes, EverythingEndsAndNothingIsLost) {
  const test::Setting setting("unexpected_budget", std::get<1>(GetParam()) ? "65536" : "67108864");
  const std::uint64_t before = throttled();
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    make_processes(seed);
    for (int step = 0; step < 3000; ++step) {
      const unsigned sending = step / 500 % 2 == 0 ? 60 : 20;  // floods, and times to catch up
      if (chance(sending)) {
        send_one(any_process());
      } else {
        receive_one(any_process());
      }
      if (chance(10)) cancel_one(any_process());
      if (chance(40)) any_process().engine.progress();
      if (chance(10)) collect(any_process());
      if (HasFatalFailure()) return;
    }
    ASSERT_TRUE(finish()) << "something never came";
    end_sends();
    for (auto& process : processes) {
      for (auto& [key, log] : process->got) {
        std::ranges::sort(log);
        for (unsigned i = 0; i < log.size(); ++i) ASSERT_EQ(log[i].second, i) << "lost, doubled or overtaken";
      }
    }
  }
  EXPECT_EQ(throttled() > before, std::get<1>(GetParam())) << throttled() - before << " orders were given";
}

std::string name_of(const testing::TestParamInfo<Parameters>& info) {
  static constexpr const char* reaches[] = {"ByCopy", "SingleCopy", "ByGet", "ByPut"};
  return std::string(reaches[static_cast<int>(std::get<0>(info.param))]) +
         (std::get<1>(info.param) ? "SmallBudget" : "LargeBudget");
}

INSTANTIATE_TEST_SUITE_P(Traffic, RandomModes,
                         testing::Combine(testing::Values(test::Reach::nothing, test::Reach::single_copy,
                                                          test::Reach::get, test::Reach::put),
                                          testing::Bool()),
                         name_of);

}  // namespace
}  // namespace bowline::proto::mixed_traffic
