// SPDX-License-Identifier: BSD-3-Clause
// shm/device and shm/endpoint: several devices of one process, connected to each other as the processes of a node are.
#include "shm/device.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "shm/inbox.hpp"
#include "support/seed.hpp"
#include "support/setting.hpp"

namespace bowline::shm {
namespace {

using std::chrono::milliseconds;
using test::Setting;
using transport::Header;
using transport::Post;
using Clock = std::chrono::steady_clock;

struct Arrival {
  int peer;
  Header header;
  std::vector<std::byte> prefix;
  std::vector<std::byte> body;
};

class Collector final : public transport::Sink {
 public:
  void arrived(int peer, const Header& header, std::span<const std::byte> prefix,
               std::span<const std::byte> body) override {
    arrivals.push_back({peer, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
  }
  std::vector<Arrival> arrivals;
};

/// The ranks of one node in one process. World ranks are not local ranks.
class ShmNode : public testing::Test {
 protected:
  const std::vector<int> ranks{3, 7, 12};
  ShmDevice first{3, ranks}, second{7, ranks}, third{12, ranks};
  Collector sink;

  static void drain(ShmDevice& device, Collector& collector) {
    while (device.poll(collector) != 0) {
    }
  }
};
using ThreadsShmNode = ShmNode;

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 256 + seed);
  return data;
}

template <class F>
std::string refusal(ErrorClass error_class, F call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), error_class);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(ShmNode, MessagesCarryTheWorldRankOfTheSender) {
  const auto from_first = first.connect(7, second.address());
  const auto from_third = third.connect(7, second.address());
  const auto prefix = pattern(24, 1);
  const auto body = pattern(1000, 2);
  const Header header{.context = 9, .source = -4, .tag = 77, .kind = 3};
  ASSERT_EQ(from_third->send(header, prefix, body), Post::done);
  drain(second, sink);
  ASSERT_EQ(from_first->send(header, {}, {}), Post::done);
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), 2U);
  EXPECT_EQ(sink.arrivals[0].peer, 12);
  EXPECT_EQ(sink.arrivals[0].header.context, 9U);
  EXPECT_EQ(sink.arrivals[0].header.source, -4);
  EXPECT_EQ(sink.arrivals[0].header.tag, 77);
  EXPECT_EQ(sink.arrivals[0].header.kind, 3);
  EXPECT_EQ(sink.arrivals[0].prefix, prefix);
  EXPECT_EQ(sink.arrivals[0].body, body);
  EXPECT_EQ(sink.arrivals[1].peer, 3);
  EXPECT_TRUE(sink.arrivals[1].body.empty());
  EXPECT_EQ(first.poll(sink), 0U) << "a message came back to its sender";
}

TEST_F(ShmNode, ADeviceTakesMessagesToItself) {
  const auto loop = second.connect(7, second.address());
  ASSERT_EQ(loop->send({.tag = 1}, {}, {}), Post::done);
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), 1U);
  EXPECT_EQ(sink.arrivals[0].peer, 7);
}

TEST_F(ShmNode, EverySizeUpToTheLimitArrives) {
  const auto endpoint = first.connect(7, second.address());
  const std::size_t longest = endpoint->limits().max_body;
  const std::size_t longest_prefix = endpoint->limits().max_prefix;
  EXPECT_GE(longest, 4096U);
  EXPECT_GE(longest_prefix, 24U);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{64}, longest / 2, longest - longest_prefix}) {
    const auto body = pattern(bytes, 5);
    const auto prefix = pattern(longest_prefix, 6);
    ASSERT_EQ(endpoint->send({}, prefix, body), Post::done);
    drain(second, sink);
    ASSERT_EQ(sink.arrivals.back().body, body);
    ASSERT_EQ(sink.arrivals.back().prefix, prefix);
  }
  const auto body = pattern(longest, 7);
  ASSERT_EQ(endpoint->send({}, {}, body), Post::done);
  drain(second, sink);
  EXPECT_EQ(sink.arrivals.back().body, body);
}

TEST_F(ShmNode, AFloodEndsInRetryAndLosesNothing) {
  const auto from_first = first.connect(7, second.address());
  const auto from_third = third.connect(7, second.address());
  int sent_first = 0;
  int sent_third = 0;
  for (int round = 0; round < 3; ++round) {
    while (from_first->send({.tag = sent_first}, {}, pattern(100, 0)) == Post::done) ++sent_first;
    while (from_third->send({.tag = sent_third}, {}, pattern(3000, 0)) == Post::done) ++sent_third;
    drain(second, sink);
  }
  EXPECT_GT(sent_first, 1000);
  EXPECT_GT(sent_third, 50);
  int next_first = 0;
  int next_third = 0;
  for (const Arrival& arrival : sink.arrivals) {
    EXPECT_EQ(arrival.header.tag, arrival.peer == 3 ? next_first++ : next_third++);
  }
  EXPECT_EQ(next_first, sent_first);
  EXPECT_EQ(next_third, sent_third);
}

TEST_F(ShmNode, OnePollTakesABoundedNumberFromEach) {
  const auto from_first = first.connect(7, second.address());
  const auto from_third = third.connect(7, second.address());
  for (int i = 0; i < 500; ++i) ASSERT_EQ(from_first->send({}, {}, {}), Post::done);
  ASSERT_EQ(from_third->send({}, {}, {}), Post::done);
  const unsigned taken = second.poll(sink);
  EXPECT_LT(taken, 500U);
  EXPECT_TRUE(std::ranges::any_of(sink.arrivals, [](const Arrival& a) { return a.peer == 12; }))
      << "a flood starved a peer";
}

TEST_F(ShmNode, MemoryIsTakenOnlyForPeersThatConnect) {
  InboxAddress address;
  std::memcpy(&address, second.address().data(), sizeof address);
  const auto blocks = [&] {
    struct stat file {};
    EXPECT_EQ(fstat(address.descriptor, &file), 0);
    return file.st_blocks * 512;
  };
  EXPECT_EQ(blocks(), static_cast<blkcnt_t>(page_bytes));
  const auto endpoint = first.connect(7, second.address());
  const auto one_ring = blocks();
  EXPECT_GT(one_ring, static_cast<blkcnt_t>(page_bytes));
  EXPECT_LE(one_ring, static_cast<blkcnt_t>(page_bytes + ring_stride((128 << 10) / line_bytes)));
}

TEST_F(ShmNode, ConnectionsKeepNoDescriptor) {
  const std::size_t before = open_descriptors();
  const auto endpoint = first.connect(7, second.address());
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  drain(second, sink);
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ShmNode, AnEndpointOutlivesTheInboxOwner) {
  auto gone = std::make_unique<ShmDevice>(12, ranks);
  const auto endpoint = first.connect(12, gone->address());
  gone.reset();
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::done);  // nobody will read it, but nothing may break
}

// ---- what is refused

TEST_F(ShmNode, AnotherProcessThanTheOneToldOfIsRefused) {
  transport::Address address = second.address();
  InboxAddress told;
  std::memcpy(&told, address.data(), sizeof told);
  told.nonce ^= 1;
  std::memcpy(address.data(), &told, sizeof told);
  const std::string text = refusal(ErrorClass::other, [&] { first.connect(7, address); });
  EXPECT_NE(text.find("rank 7"), std::string::npos) << text;
  EXPECT_NE(text.find("namespaces"), std::string::npos) << text;
  EXPECT_EQ(second.poll(sink), 0U);
}

TEST_F(ShmNode, AnAddressOfAnotherVersionIsRefused) {
  transport::Address address = second.address();
  address.push_back(std::byte{0});
  const std::string text = refusal(ErrorClass::intern, [&] { first.connect(7, address); });
  EXPECT_NE(text.find("same version"), std::string::npos) << text;
}

TEST_F(ShmNode, AnInboxThatIsGoneIsNamed) {
  transport::Address address = second.address();
  InboxAddress told;
  std::memcpy(&told, address.data(), sizeof told);
  told.descriptor = 9999;
  std::memcpy(address.data(), &told, sizeof told);
  const std::string text = refusal(ErrorClass::other, [&] { first.connect(7, address); });
  EXPECT_NE(text.find("/fd/9999"), std::string::npos) << text;
}

TEST(ShmDevice, TooManyLocalRanksAreRefused) {
  std::vector<int> ranks(InboxHeader::max_local_ranks + 1);
  std::iota(ranks.begin(), ranks.end(), 0);
  const std::string text = refusal(ErrorClass::other, [&] { ShmDevice device(0, ranks); });
  EXPECT_NE(text.find(std::to_string(ranks.size())), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(InboxHeader::max_local_ranks)), std::string::npos) << text;
}

TEST(ShmDevice, TheRingsSizeIsTunable) {
  const Setting setting("shm_ring_size", "9000");  // rounded up to 16 KiB
  ShmDevice one(0, {0, 1});
  ShmDevice two(1, {0, 1});
  const auto small = one.connect(1, two.address());
  EXPECT_EQ(small->limits().max_body, ring_max_body((16 << 10) / line_bytes));
}

// ---- reading a peer's memory

TEST_F(ShmNode, GetsAPeersMemory) {
  const auto endpoint = first.connect(7, second.address());
  const auto source = pattern(1 << 20, 3);
  std::vector<std::byte> target(source.size());
  EXPECT_TRUE(endpoint->get(reinterpret_cast<std::uintptr_t>(source.data()), target));
  EXPECT_EQ(target, source);
  EXPECT_TRUE(endpoint->get(0, {})) << "nothing to read is read at once";
}

TEST_F(ShmNode, MemoryThatCannotBeReadIsAnError) {
  const auto endpoint = first.connect(7, second.address());
  std::vector<std::byte> target(100);
  const std::string text = refusal(ErrorClass::buffer, [&] { endpoint->get(0x10, target); });
  EXPECT_NE(text.find("rank 7"), std::string::npos) << text;
  EXPECT_NE(text.find("0x10"), std::string::npos) << text;
}

TEST_F(ShmNode, WithoutCrossMemoryAttachNothingIsRead) {
  const Setting setting("cross_memory_attach", "0");
  const auto endpoint = first.connect(7, second.address());
  const auto source = pattern(100, 3);
  std::vector<std::byte> target(source.size(), std::byte{0xee});
  EXPECT_FALSE(endpoint->get(reinterpret_cast<std::uintptr_t>(source.data()), target));
  EXPECT_EQ(target, std::vector<std::byte>(100, std::byte{0xee}));
}

// ---- sleeping

TEST_F(ShmNode, SleepEndsByItself) {
  const auto start = Clock::now();
  second.sleep(20);
  EXPECT_LT(Clock::now() - start, milliseconds(10'000));
}

TEST_F(ShmNode, NoOneSleepsOverAMessageOrANewPeer) {
  const auto start = Clock::now();
  const auto endpoint = first.connect(7, second.address());
  second.sleep(60'000);  // a new producer is news already
  ASSERT_EQ(second.poll(sink), 0U);
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  second.sleep(60'000);
  EXPECT_EQ(second.poll(sink), 1U);
  EXPECT_LT(Clock::now() - start, milliseconds(30'000));
}

TEST_F(ThreadsShmNode, SleepersWakeEachOther) {
  // A lost wake-up costs a whole sleep; many of them make both sides give up.
  constexpr int rounds = 20'000;
  const auto start = Clock::now();
  const auto in_time = [start] { return Clock::now() - start < milliseconds(20'000); };
  const auto there = first.connect(7, second.address());
  const auto back = second.connect(3, first.address());
  const auto await = [&](ShmDevice& device, Collector& collector) {
    while (device.poll(collector) == 0) {
      if (!in_time()) return false;
      device.sleep(10'000);
    }
    return true;
  };
  std::thread other([&] {
    Collector mine;
    for (int i = 0; i < rounds && await(second, mine); ++i) {
      EXPECT_EQ(mine.arrivals.back().header.tag, i);
      EXPECT_EQ(back->send({.tag = i}, {}, {}), Post::done);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(there->send({.tag = i}, {}, {}), Post::done);
    if (!await(first, sink)) break;
    EXPECT_EQ(sink.arrivals.back().header.tag, i);
  }
  other.join();
  EXPECT_TRUE(in_time()) << "wake-ups were lost";
  EXPECT_EQ(sink.arrivals.size(), static_cast<std::size_t>(rounds));
}

TEST_F(ThreadsShmNode, TwoProducersFloodASleepyConsumer) {
  constexpr int messages = 50'000;
  const auto flood = [](transport::Endpoint& endpoint, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto body = pattern(2000, seed);
    for (int i = 0; i < messages; ++i) {
      const std::span<const std::byte> part(body.data(), random() % 16 == 0 ? random() % 2000 : random() % 64);
      while (endpoint.send({.tag = i}, {}, part) == Post::retry) std::this_thread::yield();
    }
  };
  const std::uint32_t seed = test::seeds().front();
  SCOPED_TRACE(seed);
  std::unique_ptr<transport::Endpoint> from_first = first.connect(7, second.address());
  std::unique_ptr<transport::Endpoint> from_third = third.connect(7, second.address());
  std::thread one([&] { flood(*from_first, seed); });
  std::thread two([&] { flood(*from_third, seed + 1); });
  struct Checker final : transport::Sink {
    void arrived(int peer, const Header& header, std::span<const std::byte>, std::span<const std::byte> body) override {
      int& next = peer == 3 ? next_first : next_third;
      wrong += header.tag == next++ ? 0 : 1;
      const std::byte origin{static_cast<unsigned char>(peer == 3 ? seed : seed + 1)};
      if (!body.empty()) wrong += body[0] == origin ? 0 : 1;
    }
    std::uint32_t seed = 0;
    int next_first = 0;
    int next_third = 0;
    int wrong = 0;
  } checker;
  checker.seed = seed;
  while (checker.next_first < messages || checker.next_third < messages) {
    if (second.poll(checker) == 0) second.sleep(1'000);
  }
  one.join();
  two.join();
  EXPECT_EQ(checker.wrong, 0);
}

}  // namespace
}  // namespace bowline::shm
