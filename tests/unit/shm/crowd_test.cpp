// SPDX-License-Identifier: BSD-3-Clause
// shm/device: many producers of one inbox. Polls look into few rings, and every message arrives all the same.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "shm_node.hpp"
#include "support/seed.hpp"

namespace bowline::shm {
namespace {

using transport::Post;

/// Rank 0 and so many peers that have connected to it.
class Crowd {
 public:
  explicit Crowd(int peers) : ranks_(peers + 1), of_owner_(ranks_.size(), 2), of_peers_(ranks_.size(), 2) {
    std::iota(ranks_.begin(), ranks_.end(), 0);
    owner = std::make_unique<ShmDevice>(of_owner_, 1, 0, ranks_);
    for (int peer = 1; peer <= peers; ++peer) {
      devices_.push_back(std::make_unique<ShmDevice>(of_peers_, 1, peer, ranks_));
      endpoints_.push_back(devices_.back()->connect(0, owner->address()));
    }
  }
  void send(int peer, int tag) {
    while (endpoints_[peer - 1]->send({.tag = tag}, {}, {}) == Post::retry) owner->poll(sink);
  }
  void drain() {
    while (owner->poll(sink) != 0) continue;
  }
  Inbox& inbox() { return of_owner_; }

 private:
  std::vector<int> ranks_;
  Inbox of_owner_, of_peers_;
  std::vector<std::unique_ptr<ShmDevice>> devices_;
  std::vector<std::unique_ptr<transport::Endpoint>> endpoints_;

 public:
  std::unique_ptr<ShmDevice> owner;
  Collector sink;
};

/// Takes the pages of all inboxes from this process's tables: to touch one is a fault then. What they hold stays.
void forget_pages() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("bowline-inbox") == std::string::npos) continue;
    std::size_t end_of_begin = 0;
    const std::uintptr_t begin = std::stoull(line, &end_of_begin, 16);
    const std::uintptr_t end = std::stoull(line.substr(end_of_begin + 1), nullptr, 16);
    ASSERT_EQ(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED), 0);
  }
}

/// Pages that `polls` polls touch. Each ring lies on pages of its own, and what a poll reads of a silent one is a
/// single line, so these are the lines it reads, but for the header's: two, on one page.
long pages_touched(Crowd& crowd, int polls) {
  long least = std::numeric_limits<long>::max();
  for (int attempt = 0; attempt < 3; ++attempt) {  // other pages of the process may be touched for the first time
    forget_pages();
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    for (int i = 0; i < polls; ++i) crowd.owner->poll(crowd.sink);
    getrusage(RUSAGE_THREAD, &after);
    least = std::min(least, after.ru_minflt - before.ru_minflt);
  }
  return least;
}

TEST(ShmCrowd, APollsCostDoesNotGrowWithSilentNeighbours) {
  for (const int peers : {20, 200}) {
    SCOPED_TRACE(peers);
    Crowd crowd(peers);
    for (int peer = 1; peer <= peers; ++peer) crowd.send(peer, peer);
    crowd.drain();
    ASSERT_EQ(crowd.sink.arrivals.size(), static_cast<std::size_t>(peers));
    for (int i = 0; i < 1000; ++i) crowd.owner->poll(crowd.sink);
    EXPECT_GE(pages_touched(crowd, 1), 1) << "this test sees nothing";
    EXPECT_LE(pages_touched(crowd, 1), 2) << "the header, and a silent ring now and then";
    EXPECT_LE(pages_touched(crowd, 8), 2);
    crowd.send(3, 1);
    crowd.drain();
    EXPECT_LE(pages_touched(crowd, 1), 3) << "and the ring in which something has come";
  }
}

/// Parts of inboxes that this process has mapped.
int mapped_parts() {
  std::ifstream maps("/proc/self/maps");
  int parts = 0;
  for (std::string line; std::getline(maps, line);) parts += line.find("bowline-inbox") != std::string::npos ? 1 : 0;
  return parts;
}

TEST(ShmCrowd, AnOwnerMapsNothingForAProducer) {
  Crowd crowd(20);
  const int before = mapped_parts();
  for (int peer = 1; peer <= 20; ++peer) crowd.send(peer, peer);
  crowd.drain();
  EXPECT_EQ(crowd.sink.arrivals.size(), 20U);
  EXPECT_EQ(mapped_parts(), before);
}

TEST(ShmCrowd, AFirstMessageFindsItsPagesMapped) {
  Crowd crowd(20);
  alignas(page_bytes) static std::byte page[page_bytes];
  if (madvise(page, sizeof page, MADV_POPULATE_WRITE) != 0) {
    GTEST_SKIP() << "this kernel lacks MADV_POPULATE_WRITE, which came with Linux 5.14";
  }
  rusage before{}, after{};
  getrusage(RUSAGE_THREAD, &before);
  for (int peer = 1; peer <= 20; ++peer) crowd.send(peer, peer);
  getrusage(RUSAGE_THREAD, &after);
#ifdef __SANITIZE_ADDRESS__
  constexpr long limit = 30;  // the sanitizer's shadow of each ring is touched for the first time
#else
  constexpr long limit = 10;
#endif
  EXPECT_LT(after.ru_minflt - before.ru_minflt, limit) << "page faults, of 20 rings";
}

TEST(ShmCrowd, EveryMessageArrivesInOrderWhoeverIsSilent) {
  constexpr int peers = 100;
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Crowd crowd(peers);
    std::vector<int> sent(peers + 1), next(peers + 1);
    int all = 0;
    for (int round = 0; round < 3000; ++round) {
      const int talkers = 1 + static_cast<int>(random() % (round % 300 < 150 ? 3 : 40));
      for (int i = 0; i < talkers; ++i) {
        const int peer = 1 + static_cast<int>(random() % (round % 200 < 100 ? 5 : peers));
        for (unsigned burst = random() % 8 == 0 ? 20 : 1; burst > 0; --burst, ++all) crowd.send(peer, sent[peer]++);
      }
      for (unsigned polls = random() % 400; polls > 0; --polls) crowd.owner->poll(crowd.sink);
      if (round % 10 == 0) {
        crowd.drain();
        EXPECT_EQ(crowd.sink.arrivals.size(), static_cast<std::size_t>(all)) << "of round " << round;
      }
    }
    crowd.drain();
    ASSERT_EQ(crowd.sink.arrivals.size(), static_cast<std::size_t>(all));
    for (const Arrival& arrival : crowd.sink.arrivals) ASSERT_EQ(arrival.header.tag, next[arrival.peer]++);
  }
}

// What a producer publishes that still took itself for watched, seen by no look: as if it had not notified.
TEST(ShmCrowd, AMissedNotificationIsMadeUpFor) {
  constexpr int peers = 100;
  for (const bool about_to_sleep : {false, true}) {
    Crowd crowd(peers);
    for (int peer = 1; peer <= peers; ++peer) crowd.send(peer, 0);
    crowd.drain();
    for (int i = 0; i < 1000; ++i) crowd.owner->poll(crowd.sink);
    ASSERT_FALSE(crowd.owner->ready());

    const node::Mapping header = crowd.inbox().open_section(1);
    auto& notifications = reinterpret_cast<InboxHeader*>(header.data())->notifications;
    crowd.send(40, 1);
    ASSERT_TRUE(notifications.any(peers + 1));
    notifications.take(peers + 1, [](std::size_t) {});
    crowd.sink.arrivals.clear();
    if (about_to_sleep) {
      EXPECT_TRUE(crowd.owner->ready());
      EXPECT_EQ(crowd.owner->poll(crowd.sink), 1U);
    }
    for (int i = 0; i < 10 * peers && crowd.sink.arrivals.empty(); ++i) crowd.owner->poll(crowd.sink);
    ASSERT_EQ(crowd.sink.arrivals.size(), 1U);
    EXPECT_EQ(crowd.sink.arrivals[0].peer, 40);
    EXPECT_FALSE(crowd.owner->ready());
  }
}

}  // namespace
}  // namespace bowline::shm
