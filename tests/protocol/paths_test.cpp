// SPDX-License-Identifier: BSD-3-Clause
// The path of long messages over shared memory: each path brings the same bytes; the choice finds the fastest, turns
// over when another one becomes faster, and back; its tries have a bounded price; what is refused is replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "counted.hpp"
#include "delaying.hpp"
#include "recording.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

/// Messages that have taken each path, by Path.
std::array<std::uint64_t, path_count> by_path() {
  return {counted("short_piece_messages"), counted("long_piece_messages"), counted("single_copy_messages"),
          counted("single_copy_by_both_messages")};
}

/// Two ranks of a node in one process, in made-up time.
class PathsTest : public testing::Test {
 protected:
  struct Rank {
    Rank(shm::Inbox& inbox, int rank, Prices& prices)
        : shm(inbox, 0, rank, {0, 1}),
          device(shm, prices),
          engine(
              2, [this](int peer) { return device.connect(peer, *address_of_peer); }, WaitPolicy{}, lock) {
      engine.add_device(device);
      engine.rendezvous().paths().use_clock(&MadeUpTime::clock);
    }
    shm::ShmDevice shm;
    DelayingDevice device;
    OwnerLock lock;
    std::optional<transport::Address> address_of_peer;
    Engine engine;
  };

  PathsTest() { start(); }
  void start() {
    sender.reset();
    receiver.reset();
    sender = std::make_unique<Rank>(of_sender.emplace(2, 1), 0, prices);
    receiver = std::make_unique<Rank>(of_receiver.emplace(2, 1), 1, prices);
    sender->address_of_peer = receiver->shm.address();
    receiver->address_of_peer = sender->shm.address();
  }

  static Buffer buffer(Bytes& bytes) { return {bytes.data(), bytes.size(), &dtype::byte_type()}; }
  void finish(std::span<Request* const> requests) {
    const auto done = [](const Request* request) { return static_cast<bool>(request->done); };
    for (int round = 0; round < 1'000'000 && !std::ranges::all_of(requests, done); ++round) {
      sender->engine.progress();
      receiver->engine.progress();
    }
    ASSERT_TRUE(std::ranges::all_of(requests, done)) << "messages do not arrive";
  }
  /// One message after the other.
  void exchange(std::size_t bytes, int count = 1) {
    const Bytes data = pattern(bytes, static_cast<unsigned>(bytes));
    Bytes out = data, in(bytes);
    for (int i = 0; i < count; ++i) {
      std::ranges::fill(in, std::byte{});
      Request& received = receiver->engine.ireceive({test_context, 0, 7}, buffer(in));
      Request& sent = sender->engine.isend(1, {.context = test_context, .source = 0, .tag = 7}, buffer(out));
      const std::array<Request*, 2> both{&received, &sent};
      finish(both);
      EXPECT_EQ(received.failure, nullptr);
      ASSERT_EQ(in, data);
      receiver->engine.release(received);
      sender->engine.release(sent);
    }
  }
  /// A row of messages that the sender starts before the first has arrived.
  void exchange_row(std::size_t bytes, int count) {
    std::vector<Bytes> out, in;
    std::vector<Request*> requests;
    for (int i = 0; i < count; ++i) {
      out.push_back(pattern(bytes, static_cast<unsigned>(i)));
      in.emplace_back(bytes);
    }
    for (Bytes& each : in) requests.push_back(&receiver->engine.ireceive({test_context, 0, 7}, buffer(each)));
    for (Bytes& each : out)
      requests.push_back(&sender->engine.isend(1, {.context = test_context, .source = 0, .tag = 7}, buffer(each)));
    finish(requests);
    EXPECT_EQ(in, out);
    for (std::size_t i = 0; i < requests.size(); ++i) (i < in.size() ? receiver : sender)->engine.release(*requests[i]);
  }
  /// Rows of messages in both directions at the same time.
  void exchange_both_ways(std::size_t bytes, int count) {
    const Bytes data = pattern(bytes, static_cast<unsigned>(bytes));
    Bytes out = data;
    std::vector<Bytes> in(2 * static_cast<std::size_t>(count), Bytes(bytes));
    std::vector<Request*> requests;
    Rank* const ranks[] = {sender.get(), receiver.get()};
    for (std::size_t i = 0; i < in.size(); ++i)
      requests.push_back(&ranks[i % 2]->engine.ireceive({test_context, i % 2 == 0 ? 1 : 0, 7}, buffer(in[i])));
    for (std::size_t i = 0; i < in.size(); ++i) {
      const int rank = static_cast<int>(i % 2);
      requests.push_back(
          &ranks[rank]->engine.isend(1 - rank, {.context = test_context, .source = rank, .tag = 7}, buffer(out)));
    }
    finish(requests);
    for (const Bytes& each : in) EXPECT_EQ(each, data);
    for (std::size_t i = 0; i < requests.size(); ++i) ranks[i % 2]->engine.release(*requests[i]);
  }
  /// What the receiver knows of messages of this length.
  const Tuner* find(Rhythm rhythm, std::size_t bytes) {
    for (std::size_t i = 0; i < nearness_count; ++i) {
      const auto nearness = static_cast<Nearness>(i);
      if (const auto* const found =
              receiver->engine.rendezvous().paths().find(nearness, rhythm, PathChooser::class_of(bytes)))
        return found;
    }
    return nullptr;
  }
  /// The path of most of so many messages.
  Path usual_path(std::size_t bytes, int count) {
    const auto before = by_path();
    exchange(bytes, count);
    auto gone = by_path();
    for (std::size_t i = 0; i < path_count; ++i) gone[i] -= before[i];
    return all_paths[static_cast<std::size_t>(std::ranges::max_element(gone) - gone.begin())];
  }

  Prices prices;
  std::optional<shm::Inbox> of_sender, of_receiver;
  std::unique_ptr<Rank> sender, receiver;
};

constexpr std::size_t kib = 1 << 10;
constexpr std::size_t mib = 1 << 20;
constexpr Prices short_best{.short_pieces = 0.1, .long_pieces = 0.15, .reads = 0.3, .writes = 0.05};
constexpr Prices long_best{.short_pieces = 0.2, .long_pieces = 0.1, .reads = 0.3, .writes = 0.05};
constexpr Prices single_copy_best{.short_pieces = 0.2, .long_pieces = 0.15, .reads = 0.1, .writes = 0.15};
constexpr Prices both_best{.short_pieces = 0.2, .long_pieces = 0.2, .reads = 0.15, .writes = 0.01};

TEST_F(PathsTest, EachPathBringsTheSameBytes) {
  for (const Path path : all_paths) {
    SCOPED_TRACE(name_of(path));
    const test::Setting setting("long_messages", std::string(name_of(path)));
    start();
    const auto before = by_path();
    int count = 0;
    for (const std::size_t bytes :
         {8 * kib + 1, 16 * kib, 64 * kib - 1, 64 * kib, 64 * kib + 1, 1'000'003UL, 4 * mib}) {
      exchange(bytes);
      ++count;
    }
    exchange_row(100'000, 20);
    count += 20;
    for (const Path each : all_paths) {
      const std::uint64_t gone = by_path()[index_of(each)] - before[index_of(each)];
      EXPECT_EQ(gone, each == path ? static_cast<std::uint64_t>(count) : 0U) << name_of(each);
    }
  }
}

TEST_F(PathsTest, TheFastestPathIsFound) {
  const std::array<std::pair<Prices, Path>, 4> machines{{{short_best, Path::short_pieces},
                                                         {long_best, Path::long_pieces},
                                                         {single_copy_best, Path::single_copy},
                                                         {both_best, Path::single_copy_by_both}}};
  for (const auto& [machine, path] : machines) {
    SCOPED_TRACE(name_of(path));
    prices = machine;
    start();
    for (const std::size_t bytes : {64 * kib, 512 * kib}) {
      exchange(bytes, 20);
      EXPECT_EQ(usual_path(bytes, 20), path) << bytes;
    }
  }
}

TEST_F(PathsTest, TheChoiceTurnsOverWithin50MessagesAndBack) {
  prices = short_best;
  exchange(128 * kib, 60);
  ASSERT_EQ(usual_path(128 * kib, 20), Path::short_pieces);
  prices.short_pieces = 0.5;  // it becomes five times as slow
  exchange(128 * kib, 50);
  EXPECT_EQ(usual_path(128 * kib, 20), Path::long_pieces);
  prices.short_pieces = 0.1;
  exchange(128 * kib, 50);
  EXPECT_EQ(usual_path(128 * kib, 20), Path::short_pieces);
}

TEST_F(PathsTest, RowsOfMessagesHaveAChoiceOfTheirOwn) {
  prices = single_copy_best;
  prices.puts_refused = true;
  for (int i = 0; i < 6; ++i) exchange_row(64 * kib, 40);
  const Tuner* const choice = find(Rhythm::in_row, 64 * kib);
  ASSERT_NE(choice, nullptr);
  EXPECT_TRUE(choice->known());
  EXPECT_EQ(all_paths[choice->in_use()], Path::single_copy);
  EXPECT_NEAR(choice->cost(index_of(Path::single_copy)), 0.1, 0.02);
  // A message of a row costs the time by which it arrives after the one before it.
  EXPECT_NEAR(choice->cost(index_of(Path::short_pieces)), 0.2, 0.05);
}

// The sender writes its half of one message while the receiver reads its half of another one.
TEST_F(PathsTest, InARowBothSidesCopyHalfOfEachMessageAllTheTime) {
  prices = single_copy_best;
  for (int i = 0; i < 6; ++i) exchange_row(64 * kib, 40);
  const Tuner* const choice = find(Rhythm::in_row, 64 * kib);
  ASSERT_NE(choice, nullptr);
  EXPECT_EQ(all_paths[choice->in_use()], Path::single_copy_by_both);
  EXPECT_NEAR(choice->cost(index_of(Path::single_copy_by_both)), prices.reads / 2, 0.02);
}

// A path that leaves half of the copying to the sender saves nothing while the sender receives as much as it sends.
TEST_F(PathsTest, InAnExchangeTheWorkOfBothSidesCounts) {
  prices = single_copy_best;
  for (int i = 0; i < 6; ++i) exchange_both_ways(64 * kib, 20);
  const Tuner* const choice = find(Rhythm::exchange, 64 * kib);
  ASSERT_NE(choice, nullptr);
  EXPECT_NEAR(choice->cost(index_of(Path::single_copy)), prices.reads, 0.02);
  EXPECT_NEAR(choice->cost(index_of(Path::single_copy_by_both)), prices.reads, 0.02);
  EXPECT_FALSE(find(Rhythm::in_row, 64 * kib)->knows(index_of(Path::single_copy_by_both)));
}

// Of pieces, only the time in which this process copies them counts, twice. Here that is a tick of the clock for each.
TEST_F(PathsTest, InAnExchangePiecesCostTheCopying) {
  static std::uint64_t ticks = 0;
  constexpr double tick = 1000;
  for (Rank* const rank : {sender.get(), receiver.get()})
    rank->engine.rendezvous().paths().use_clock(+[]() noexcept { return 1000 * ++ticks; });
  for (int i = 0; i < 6; ++i) exchange_both_ways(64 * kib, 20);
  const Tuner* const choice = find(Rhythm::exchange, 64 * kib);
  ASSERT_NE(choice, nullptr);
  EXPECT_NEAR(choice->cost(index_of(Path::short_pieces)), 2 * tick / (16 * kib), 1e-6);
}

// Of all classes together, whatever the machine is like.
TEST_F(PathsTest, TriesCostAtMostAMillisecond) {
  for (const Prices& machine : {short_best, long_best, single_copy_best, both_best}) {
    prices = machine;
    start();
    const double cheapest =
        std::min({prices.short_pieces, prices.long_pieces, prices.reads, (prices.reads + prices.writes) / 2});
    double least = 0;
    const double before = MadeUpTime::now;
    for (std::size_t bytes = 16 * kib; bytes <= 4 * mib; bytes *= 2) {
      const int count = bytes > mib ? 30 : 100;
      exchange(bytes, count);
      least += cheapest * static_cast<double>(bytes) * count;
    }
    const double spent = PathChooser::price_of_tries - receiver->engine.rendezvous().paths().budget_left();
    EXPECT_LE(spent, 1e6);
    // Messages before the fastest path was known are no tries, but few.
    EXPECT_LE(MadeUpTime::now - before - least, 2e6 + least / 100) << "beyond the fastest path";
  }
}

TEST_F(PathsTest, OfAVeryLongMessageATryReadsAPart) {
  prices = short_best;
  exchange(4 * mib, 2);
  prices.bytes_read = 0;
  const std::uint64_t tries = counted("path_tries");
  for (int i = 0; i < 20 && prices.bytes_read == 0; ++i) exchange(4 * mib);
  EXPECT_GT(counted("path_tries"), tries);
  EXPECT_EQ(prices.bytes_read, 128 * kib);
}

TEST_F(PathsTest, ShortMessagesReadNoClock) {
  exchange(8 * kib);
  MadeUpTime::asked = 0;
  exchange(8 * kib, 100);
  exchange(100, 100);
  EXPECT_EQ(MadeUpTime::asked, 0U);
  exchange(64 * kib, 200);
  MadeUpTime::asked = 0;
  exchange(64 * kib, 320);
  EXPECT_GT(MadeUpTime::asked, 0U);
  EXPECT_LE(MadeUpTime::asked, 2U * 320 / 16 + 100) << "one message of sixteen, and looks";
}

TEST_F(PathsTest, WhatIsRefusedGoesInPieces) {
  const test::Setting setting("long_messages", "single_copy_by_both");
  for (const auto& [gets, puts] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
    prices.gets_refused = gets;
    prices.puts_refused = puts;
    start();
    exchange(64 * kib, 3);
    exchange(mib + 5, 3);
    exchange_row(50'000, 10);
  }
  prices = {};
}

TEST_F(PathsTest, APathThatIsRefusedIsNotTriedAgain) {
  const test::Setting setting("cross_memory_attach", "0");
  start();
  const auto before = by_path();
  exchange(64 * kib, 100);
  EXPECT_EQ(by_path()[index_of(Path::single_copy)], before[index_of(Path::single_copy)]);
  EXPECT_EQ(by_path()[index_of(Path::single_copy_by_both)], before[index_of(Path::single_copy_by_both)]);
}

TEST_F(PathsTest, AReceiverWithLessRoomGetsTheBeginningInEachPath) {
  for (const Path path : all_paths) {
    SCOPED_TRACE(name_of(path));
    const test::Setting setting("long_messages", std::string(name_of(path)));
    start();
    for (const std::size_t room : {1UL, 5'000UL, 8 * kib, 70'000UL}) {
      SCOPED_TRACE(room);
      Bytes out = pattern(200'000), in(room + 1, std::byte{0xee});
      Request& received = receiver->engine.ireceive({test_context, 0, 7}, {in.data(), room, &dtype::byte_type()});
      Request& sent = sender->engine.isend(1, {.context = test_context, .source = 0, .tag = 7}, buffer(out));
      const std::array<Request*, 2> both{&received, &sent};
      finish(both);
      EXPECT_EQ(received.status.error, ErrorClass::truncate);
      EXPECT_EQ(sent.failure, nullptr) << sent.failure->what();
      EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(room), in.begin()));
      EXPECT_EQ(in.back(), std::byte{0xee});
      receiver->engine.release(received);
      sender->engine.release(sent);
    }
  }
}

// Only pieces can be packed and unpacked; only blocks without holes lie still in memory.
TEST_F(PathsTest, DataWithHolesGoInShortPieces) {
  struct DoubleInt {
    double value;
    int index;
  };
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);
  const test::Setting setting("long_messages", "single_copy");
  start();
  std::vector<DoubleInt> out(4000), in(4000);
  for (int i = 0; i < 4000; ++i) out[static_cast<std::size_t>(i)] = {i * 0.5, i};
  const auto before = by_path();
  Request& received =
      receiver->engine.ireceive({test_context, 0, 7}, {reinterpret_cast<std::byte*>(in.data()), 4000, &type});
  Request& sent = sender->engine.isend(1, {.context = test_context, .source = 0, .tag = 7},
                                       {reinterpret_cast<std::byte*>(out.data()), 4000, &type});
  const std::array<Request*, 2> both{&received, &sent};
  finish(both);
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(in[i].value, out[i].value);
    EXPECT_EQ(in[i].index, out[i].index);
  }
  EXPECT_EQ(by_path()[index_of(Path::short_pieces)], before[index_of(Path::short_pieces)] + 1);
  receiver->engine.release(received);
  sender->engine.release(sent);
}

}  // namespace
}  // namespace bowline::proto
