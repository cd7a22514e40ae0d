// SPDX-License-Identifier: BSD-3-Clause
// ucx: two devices of one process over TCP on loopback, and a peer that is killed.
#include "ucx/device.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/counter.hpp"
#include "base/error.hpp"
#include "support/seed.hpp"
#include "support/setting.hpp"
#include "ucx/context.hpp"
#include "ucx/endpoint.hpp"

namespace bowline::ucx {
namespace {

using transport::Access;
using transport::Header;
using transport::Post;
using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

// UCX reads them once, when it is loaded.
[[maybe_unused]] const bool chosen = [] {
  setenv("UCX_TLS", "tcp,self", 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  return true;
}();

constexpr std::chrono::seconds patience{20};

Bytes pattern(std::size_t bytes, unsigned seed) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 256 + seed);
  return data;
}

/// A body that has no holes.
std::array<iovec, 1> one_run(std::span<const std::byte> bytes) {
  return {{{const_cast<std::byte*>(bytes.data()), bytes.size()}}};
}

struct Arrival {
  int peer;
  Header header;
  Bytes prefix;
  Bytes body;
};

class Collector final : public transport::Sink {
 public:
  void arrived(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) override {
    if (refusals > 0) {
      --refusals;
      throw std::runtime_error("not now");
    }
    arrivals.push_back({peer, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
  }
  int refusals = 0;
  std::vector<Arrival> arrivals;
};

class Ends final : public transport::Operation {
 public:
  void ended(const Error* failure) override {
    ++count;
    if (failure != nullptr) failures.push_back(failure->what());
  }
  int count = 0;
  std::vector<std::string> failures;
};

class Ucx : public testing::Test {
 protected:
  static std::unique_ptr<transport::Endpoint> connect(UcxDevice& from, int to, const UcxDevice& peer) {
    return from.connect(to, peer.address());
  }
  /// Polls both devices until the condition holds.
  template <class Condition>
  void until(Condition condition) {
    const auto deadline = Clock::now() + patience;
    while (!condition()) {
      first.poll(at_first);
      second.poll(at_second);
      ASSERT_LT(Clock::now(), deadline) << "nothing comes any more";
    }
  }

  test::Setting reads_memory{"ucx_remote_memory", "always"};
  Context context{2, Reach::everywhere};
  UcxDevice first{context, 3, "here"};
  UcxDevice second{context, 8, "there"};
  std::unique_ptr<transport::Endpoint> to_second = connect(first, 8, second);
  Collector at_first;
  Collector at_second;
};

TEST_F(Ucx, AMessageArrivesAsItWasSent) {
  const Bytes prefix = pattern(24, 1);
  const Bytes body = pattern(100, 2);
  ASSERT_EQ(to_second->send({.context = 7, .source = -2, .tag = 9, .kind = 4}, prefix, body), Post::done);
  until([&] { return !at_second.arrivals.empty(); });
  const Arrival& got = at_second.arrivals.front();
  EXPECT_EQ(got.peer, 3);
  EXPECT_EQ(got.header.context, 7U);
  EXPECT_EQ(got.header.source, -2);
  EXPECT_EQ(got.header.tag, 9);
  EXPECT_EQ(got.header.kind, 4);
  EXPECT_EQ(got.prefix, prefix);
  EXPECT_EQ(got.body, body);
}

TEST_F(Ucx, EveryLengthUpToTheLimitIsCopiedBeforeSendReturns) {
  const std::size_t longest = to_second->limits().max_body;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{8192}, longest}) {
    Bytes body = pattern(bytes, 3);
    while (to_second->send({}, {}, body) == Post::retry) second.poll(at_second);
    std::ranges::fill(body, std::byte{0});
    until([&] { return !at_second.arrivals.empty(); });
    EXPECT_EQ(at_second.arrivals.front().body, pattern(bytes, 3)) << bytes;
    at_second.arrivals.clear();
  }
}

TEST_F(Ucx, MessagesComeInOrderAndOnceWhateverTheirLength) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Ends ends;
    const Bytes data = pattern(60000, 5);
    constexpr int messages = 2000;
    int refused = 0;
    int begun = 0;
    for (int sent = 0; sent < messages;) {
      const std::size_t bytes = random() % 3 == 0 ? random() % 56000 : random() % 200;
      const std::span<const std::byte> body(data.data(), bytes);
      const bool posts = bytes > to_second->limits().max_body || random() % 4 == 0;
      const Header header{.tag = sent};
      const Post post = posts ? to_second->post(header, {}, one_run(body), ends) : to_second->send(header, {}, body);
      if (post == Post::begun) ++begun;
      if (post != Post::retry) {
        ++sent;
      } else {
        ++refused;
        first.poll(at_first);
        second.poll(at_second);
      }
    }
    until([&] { return at_second.arrivals.size() >= messages && ends.count == begun; });
    ASSERT_EQ(at_second.arrivals.size(), std::size_t{messages});
    for (int i = 0; i < messages; ++i) {
      const Arrival& got = at_second.arrivals[static_cast<std::size_t>(i)];
      ASSERT_EQ(got.header.tag, i);
      ASSERT_TRUE(std::ranges::equal(got.body, std::span(data).first(got.body.size())));
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(begun, 0);
    at_second.arrivals.clear();
  }
}

TEST_F(Ucx, WhatTheSinkCannotTakeIsDeliveredAgainAndInOrder) {
  at_second.refusals = 3;
  for (int tag = 0; tag < 10; ++tag) ASSERT_EQ(to_second->send({.tag = tag}, {}, {}), Post::done);
  int thrown = 0;
  const auto deadline = Clock::now() + patience;
  while (at_second.arrivals.size() < 10 && Clock::now() < deadline) {
    first.poll(at_first);
    try {
      second.poll(at_second);
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  EXPECT_EQ(thrown, 3);
  ASSERT_EQ(at_second.arrivals.size(), 10U);
  for (int tag = 0; tag < 10; ++tag) EXPECT_EQ(at_second.arrivals[static_cast<std::size_t>(tag)].header.tag, tag);
}

TEST_F(Ucx, ASleeperHearsOfAMessage) {
  ASSERT_EQ(to_second->send({}, {}, {}), Post::done);
  until([&] { return !at_second.arrivals.empty(); });
  const auto deadline = Clock::now() + patience;
  while (second.ready() && Clock::now() < deadline) second.poll(at_second);
  pollfd descriptor{second.descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&descriptor, 1, 50), 0) << "woken by nothing";
  ASSERT_EQ(to_second->send({}, {}, {}), Post::done);
  ASSERT_EQ(poll(&descriptor, 1, 10000), 1) << "not woken";
  EXPECT_TRUE(second.ready());
  until([&] { return at_second.arrivals.size() == 2; });
}

TEST_F(Ucx, AListOfBlocksArrivesAsOneBodyAndMayBeForgottenAtOnce) {
  const std::size_t most = to_second->limits().max_runs;
  Bytes data = pattern(most * 8'000, 7);
  const Bytes prefix = pattern(24, 1);
  Ends ends;
  int begun = 0;
  std::vector<Bytes> expected;
  // More than the socket takes, so that UCX comes back to lists that are gone here.
  for (std::size_t count = 0; expected.size() < 200; count = (count + 1) % most) {
    std::vector<iovec> runs;
    Bytes body;
    for (std::size_t i = 0; i <= count; ++i) {
      const std::size_t length = i % 4 == 3 ? 1 : 500 * (i + 1);
      runs.push_back({&data[(most - 1 - i) * 8'000], length});
      const auto* const from = static_cast<const std::byte*>(runs.back().iov_base);
      body.insert(body.end(), from, from + length);
    }
    Post post = Post::retry;
    while (post == Post::retry) {
      post = to_second->post({.tag = static_cast<std::int32_t>(count)}, prefix, runs, ends);
      if (post != Post::retry) break;
      first.poll(at_first);
      second.poll(at_second);
    }
    if (post == Post::begun) ++begun;
    std::ranges::fill(runs, iovec{nullptr, 1 << 30});
    expected.push_back(std::move(body));
  }
  EXPECT_GT(begun, 0);
  until([&] { return at_second.arrivals.size() == expected.size() && ends.count == begun; });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(at_second.arrivals[i].header.tag, static_cast<std::int32_t>(i % most));
    EXPECT_EQ(at_second.arrivals[i].prefix, prefix);
    ASSERT_TRUE(at_second.arrivals[i].body == expected[i]) << "message " << i;
  }
  EXPECT_TRUE(ends.failures.empty());
}

TEST_F(Ucx, DrainedMeansThatEverythingHasLeft) {
  Ends ends;
  const Bytes data = pattern(56000, 1);
  int posted = 0;
  while (to_second->post({}, {}, one_run(data), ends) != Post::retry) ++posted;
  EXPECT_FALSE(first.drained());
  until([&] { return first.drained(); });
  until([&] { return at_second.arrivals.size() == static_cast<std::size_t>(posted); });
}

TEST_F(Ucx, MemoryIsReadAndWrittenUnderAKey) {
  const auto to_first = connect(second, 3, first);
  const Bytes theirs = pattern(300'000, 6);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = to_first->expose(theirs);
  ASSERT_FALSE(key.empty());
  const transport::Remote source{reinterpret_cast<std::uintptr_t>(theirs.data()), key};
  const Access got = to_second->get(source, mine, ends);
  ASSERT_NE(got, Access::refused);
  until([&] { return got == Access::done || ends.count == 1; });
  EXPECT_EQ(mine, theirs);
  to_first->conceal(key);

  Bytes place(theirs.size());
  const Bytes place_key = to_first->expose(place);
  const transport::Remote target{reinterpret_cast<std::uintptr_t>(place.data()), place_key};
  const Access put = to_second->put(theirs, target, ends);
  ASSERT_NE(put, Access::refused);
  until([&] { return put == Access::done || ends.count == 2; });
  EXPECT_EQ(place, theirs);
  to_first->conceal(place_key);
  EXPECT_TRUE(ends.failures.empty());
}

TEST_F(Ucx, MemoryWithoutAKeyIsRefused) {
  Ends ends;
  Bytes mine(10);
  EXPECT_EQ(to_second->get({0x1000, {}}, mine, ends), Access::refused);
  EXPECT_EQ(to_second->put(mine, {0x1000, {}}, ends), Access::refused);
}

std::uint64_t counted(const std::string& name) {
  for (const Counter* counter : Counter::all()) {
    if (counter->name() == name) return counter->value();
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

/// Memory that is unmapped and mapped again at the same address between two transfers: the data must be those that are
/// there now, and the cache must have heard of it each time. REMAP_ROUNDS says how often.
TEST_F(Ucx, RemappedMemoryIsRegisteredAnewAndItsDataAreRight) {
  const char* const text = std::getenv("REMAP_ROUNDS");
  const int rounds = text != nullptr ? std::atoi(text) : 2000;
  constexpr std::size_t bytes = 64 << 10;
  const auto to_first = connect(second, 3, first);
  std::mt19937 random(test::seeds().front());
  Bytes mine(bytes);
  const auto before = counted("registration_invalidations");
  void* place = nullptr;
  for (int round = 0; round < rounds; ++round) {
    void* const mapped = mmap(place, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | (place != nullptr ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    ASSERT_TRUE(place == nullptr || mapped == place);
    place = mapped;
    const std::span memory(static_cast<std::byte*>(mapped), bytes);
    const auto mark = static_cast<std::byte>(random());
    std::ranges::fill(memory, mark);
    Ends ends;
    const Bytes key = to_first->expose(memory);
    const Access got = to_second->get({reinterpret_cast<std::uintptr_t>(mapped), key}, mine, ends);
    until([&] { return got == Access::done || ends.count == 1; });
    to_first->conceal(key);
    ASSERT_TRUE(std::ranges::all_of(mine, [&](std::byte each) { return each == mark; })) << "round " << round;
    ASSERT_EQ(munmap(mapped, bytes), 0);
  }
  EXPECT_GE(counted("registration_invalidations") - before, static_cast<std::uint64_t>(rounds - 1));
}

TEST_F(Ucx, AnAddressOfAnotherVersionIsRefusedWithASentence) {
  EXPECT_THROW(static_cast<void>(first.connect(5, {})), Error);
  try {
    static_cast<void>(first.connect(5, Bytes(3, std::byte{20})));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 5 published a UCX address of 3 bytes"), std::string::npos);
  }
}

/// A process that receives until it is killed.
class Victim {
 public:
  Victim() {
    std::array<int, 2> pipe_ends{};
    EXPECT_EQ(pipe(pipe_ends.data()), 0);
    process_ = fork();
    if (process_ == 0) serve(pipe_ends[1]);
    address.resize(4096);
    address.resize(static_cast<std::size_t>(read(pipe_ends[0], address.data(), address.size())));
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
  }
  ~Victim() { kill(); }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  void kill() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  transport::Address address;

 private:
  [[noreturn]] static void serve(int pipe) {
    Context context(1, Reach::everywhere);
    UcxDevice device(context, 1, "victim");
    const transport::Address mine = device.address();
    if (write(pipe, mine.data(), mine.size()) < 0) _exit(1);
    Collector sink;
    for (;;) device.poll(sink);
  }
  pid_t process_ = -1;
};

TEST(UcxLost, APeerThatDiesFailsWhatIsUnderWayAndIsNamedWithItsHost) {
  Victim victim;  // before UCX is initialized here: it must not be forked
  Context context(1, Reach::everywhere);
  UcxDevice device(context, 0, "here");
  const auto endpoint = device.connect(1, victim.address);
  Collector sink;
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  const auto deadline = Clock::now() + patience;
  while (!device.drained() && Clock::now() < deadline) device.poll(sink);
  EXPECT_FALSE(endpoint->lost());
  victim.kill();
  Ends ends;
  Bytes data = pattern(56000, 1);
  std::vector<iovec> blocks;
  for (std::size_t at = 0; at + 5000 <= data.size(); at += 6000) blocks.push_back({&data[at], 5000});
  int begun = 0;
  for (int posted = 0; !endpoint->lost() && Clock::now() < deadline; ++posted) {
    const Post post = posted % 2 == 0 ? endpoint->post({}, {}, one_run(data), ends)
                                      : endpoint->post({}, {}, std::vector(blocks), ends);
    if (post == Post::begun) ++begun;
    device.poll(sink);
  }
  ASSERT_TRUE(endpoint->lost());
  while (ends.count < begun && Clock::now() < deadline) device.poll(sink);
  EXPECT_EQ(ends.count, begun);
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::retry);
  EXPECT_EQ(device.lost_peers(), 1U);
  EXPECT_NE(endpoint->loss().find("on victim cannot be reached any more"), std::string::npos) << endpoint->loss();
  for (const std::string& text : ends.failures) EXPECT_NE(text.find("rank 1 on victim"), std::string::npos) << text;
}

}  // namespace
}  // namespace bowline::ucx
