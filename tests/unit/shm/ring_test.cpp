// SPDX-License-Identifier: BSD-3-Clause
// shm/ring: records of every length, the end of the ring, a full ring, and a window that grows.
#include "shm/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <span>
#include <vector>

#include "ring_records.hpp"
#include "support/seed.hpp"

namespace bowline::shm {
namespace {

TEST(Ring, IsEmptyAtFirst) {
  TestRing ring(lines);
  Record record;
  EXPECT_FALSE(ring.consumer.ready());
  EXPECT_FALSE(pop(ring.consumer, record));
}

TEST(Ring, EveryLengthArrivesAsItWasSent) {
  TestRing ring(lines);
  std::uint32_t number = 0;
  for (std::size_t body = 0; body <= longest; body += body < 600 ? 1 : 61) {
    for (const std::size_t prefix : {0, 8, 16, 24, 40, 64}) {
      if (prefix + body > longest) continue;
      const Record sent = make_record(++number, prefix, body);
      Record received;
      ASSERT_TRUE(push(ring.producer, sent)) << body;
      ASSERT_TRUE(ring.consumer.ready());
      ASSERT_TRUE(pop(ring.consumer, received)) << body;
      ASSERT_TRUE(sent == received) << "prefix " << prefix << ", body " << body;
      ASSERT_FALSE(pop(ring.consumer, received));
    }
  }
  EXPECT_GT(number, 3000U);
}

TEST(Ring, TheLongestFitsWhereverTheProducerStands) {
  for (std::size_t start = 0; start < lines; ++start) {
    TestRing ring(lines);
    Record received;
    for (std::size_t i = 0; i < start; ++i) {
      ASSERT_TRUE(push(ring.producer, make_record(1, 0, 0)));
      ASSERT_TRUE(pop(ring.consumer, received));
    }
    for (const std::size_t prefix : {0, 64}) {
      const Record sent = make_record(2, prefix, longest - prefix);
      ASSERT_TRUE(push(ring.producer, sent)) << "line " << start << ": the consumer had taken everything";
      ASSERT_TRUE(pop(ring.consumer, received));
      ASSERT_TRUE(sent == received);
    }
  }
}

TEST(Ring, AFullRingRefusesAndChangesNothing) {
  for (const std::size_t body : {0, 40, 41, 200, 256, 1000}) {
    TestRing ring(lines);
    std::uint32_t sent = 0;
    while (push(ring.producer, make_record(sent, 8, body))) ++sent;
    EXPECT_GT(sent, 2U);
    EXPECT_FALSE(push(ring.producer, make_record(99, 8, body)));
    EXPECT_FALSE(push(ring.producer, make_record(99, 64, longest - 64)));
    Record received;
    for (std::uint32_t i = 0; i < sent; ++i) {
      ASSERT_TRUE(pop(ring.consumer, received)) << i << " of " << sent;
      ASSERT_TRUE(received == make_record(i, 8, body)) << i << " of " << sent;
    }
    EXPECT_FALSE(pop(ring.consumer, received));
    const Record last = make_record(100, 64, longest - 64);
    ASSERT_TRUE(push(ring.producer, last)) << "the ring did not recover";
    ASSERT_TRUE(pop(ring.consumer, received));
    EXPECT_TRUE(received == last);
  }
}

TEST(Ring, NearlyAllOfItCanBeFilled) {
  TestRing ring(lines);
  std::size_t sent = 0;
  while (push(ring.producer, make_record(0, 0, 40))) ++sent;  // one line each
  EXPECT_GE(sent, lines - 1);
}

TEST(Ring, ReadyMeansThatARecordCanBeTaken) {
  // Wherever the producer stands, also when its next record is preceded by a skip to the start.
  TestRing ring(lines);
  Record received;
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_FALSE(ring.consumer.ready());
    ASSERT_TRUE(push(ring.producer, make_record(i, 0, random() % longest)));
    ASSERT_TRUE(ring.consumer.ready());
    ASSERT_TRUE(pop(ring.consumer, received));
  }
}

TEST(Ring, RandomRecordsAgainstAQueue) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    TestRing ring(lines);
    std::deque<Record> expected;
    Record received;
    for (std::uint32_t i = 0; i < 40000; ++i) {
      if (random() % 2 == 0) {
        const std::size_t prefix = random() % 3 == 0 ? random() % 65 : 0;
        const std::size_t body = random() % 4 == 0 ? random() % (longest - prefix) : random() % 300;
        Record record = make_record(i, prefix, body);
        if (push(ring.producer, record)) expected.push_back(std::move(record));
      } else {
        ASSERT_EQ(ring.consumer.ready(), !expected.empty());
        ASSERT_EQ(pop(ring.consumer, received), !expected.empty());
        if (expected.empty()) continue;
        ASSERT_TRUE(received == expected.front());
        expected.pop_front();
      }
    }
  }
}

TEST(Ring, BodiesThatLookLikeStampsAreNotTakenForRecords) {
  // What an old body leaves behind stands where later records begin. Its words are lengths and laps as a stamp could
  // hold them, so that whatever the consumer takes for news too early is taken here.
  constexpr std::size_t small_ring = 128;
  constexpr std::size_t small_longest = ring_max_body(small_ring);
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    TestRing ring(small_ring);
    std::deque<Record> expected;
    Record received;
    for (std::uint32_t i = 0; i < 400; ++i) {
      Record record = make_record(i, 0, random() % small_longest / 8 * 8);
      for (std::size_t at = 0; at < record.body.size(); at += 8) {
        const std::uint64_t lap = random() % 12;
        const std::uint64_t word = (lap << 32) | ((random() % 64) << (8 * (1 + random() % 2))) | (random() % 4);
        std::memcpy(record.body.data() + at, &word, sizeof word);
      }
      if (push(ring.producer, record)) expected.push_back(std::move(record));
      while (random() % 3 != 0) {
        ASSERT_EQ(ring.consumer.ready(), !expected.empty());
        ASSERT_EQ(pop(ring.consumer, received), !expected.empty());
        if (expected.empty()) break;
        ASSERT_TRUE(received == expected.front());
        expected.pop_front();
      }
    }
  }
}

// ---- the window

TEST(RingWindow, DoublesItsMemoryUntilItIsTheRing) {
  for (std::size_t ring_lines = 128; ring_lines <= 1 << 20; ring_lines *= 2) {
    std::size_t window = first_window(ring_lines);
    EXPECT_LE(ring_bytes(window), ring_lines <= 256 ? ring_bytes(256) : 8192);
    while (window < ring_lines) {
      EXPECT_LE(window, ring_lines / 2) << "a skip to the start needs a line";
      EXPECT_EQ(ring_bytes(window) % 4096, 0U);
      const std::size_t next = next_window(window, ring_lines);
      EXPECT_TRUE(next == ring_lines || ring_bytes(next) == 2 * ring_bytes(window)) << window;
      window = next;
    }
    EXPECT_EQ(window, ring_lines);
  }
}

TEST(RingWindow, APairThatTakesTurnsStaysInTheFirst) {
  const std::size_t window = first_window(long_ring);
  TestRing ring(long_ring, window);
  Record received;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const Record sent = make_record(i, 0, i % 5 == 0 ? 1000 : i % 41);
    ASSERT_TRUE(push(ring.producer, sent)) << i;
    ASSERT_TRUE(pop(ring.consumer, received));
    ASSERT_TRUE(sent == received);
  }
  EXPECT_TRUE(ring.untouched_from(window, long_ring));
}

TEST(RingWindow, AFullOneRefusesUntilItIsWidenedOrRead) {
  TestRing ring(long_ring, first_window(long_ring));
  std::uint32_t sent = 0, taken = 0;
  Record received;
  while (ring.producer.window() < long_ring) {
    while (push(ring.producer, make_record(sent, 0, 40))) ++sent;
    EXPECT_GE(sent, ring.producer.window() - 1);
    EXPECT_LE(sent, ring.producer.window());
    ring.producer.widen();
    ASSERT_TRUE(push(ring.producer, make_record(sent, 0, 40))) << "in a window of " << ring.producer.window();
    ++sent;
  }
  while (push(ring.producer, make_record(sent, 0, 40))) ++sent;
  EXPECT_GE(sent, long_ring - 1);
  while (pop(ring.consumer, received)) ASSERT_TRUE(received == make_record(taken++, 0, 40));
  EXPECT_EQ(taken, sent);

  TestRing narrow(long_ring, first_window(long_ring));
  while (push(narrow.producer, make_record(0, 0, 40))) continue;
  while (pop(narrow.consumer, received)) continue;
  EXPECT_TRUE(push(narrow.producer, make_record(1, 0, 40)));
}

TEST(RingWindow, WhatItTakesFitsWhereverTheProducerStands) {
  const std::size_t window = first_window(long_ring);
  std::size_t body = 0;
  for (std::size_t start = 0; start < window; ++start) {
    TestRing ring(long_ring, window);
    while (ring.producer.takes(0, body + 1)) ++body;
    Record received;
    for (std::size_t i = 0; i < start; ++i) {
      ASSERT_TRUE(push(ring.producer, make_record(1, 0, 0)));
      ASSERT_TRUE(pop(ring.consumer, received));
    }
    ASSERT_TRUE(push(ring.producer, make_record(2, 0, body))) << start;
    ASSERT_TRUE(pop(ring.consumer, received));
    ASSERT_TRUE(received == make_record(2, 0, body));
  }
  EXPECT_GT(body, 1500U);
}

TEST(RingWindow, RandomRecordsAgainstAQueueWhileItGrows) {
  constexpr std::size_t longest_here = ring_max_body(long_ring);
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    TestRing ring(long_ring, first_window(long_ring));
    std::deque<Record> expected;
    Record received;
    for (std::uint32_t i = 0; i < 40000; ++i) {
      if (random() % 20 < 9 + i / 10000) {
        const std::size_t body = random() % 50 == 0 ? random() % longest_here : random() % 200;
        Record record = make_record(i, 0, body);
        if (!push(ring.producer, record)) {
          ASSERT_TRUE(ring.producer.window() == long_ring || ring.untouched_from(ring.producer.window(), long_ring));
          if (ring.producer.window() == long_ring || random() % 50 != 0) continue;
          ring.producer.widen();
          if (!push(ring.producer, record)) continue;
        }
        expected.push_back(std::move(record));
      } else {
        ASSERT_EQ(ring.consumer.ready(), !expected.empty());
        ASSERT_EQ(pop(ring.consumer, received), !expected.empty());
        if (expected.empty()) continue;
        ASSERT_TRUE(received == expected.front());
        expected.pop_front();
      }
    }
  }
}

TEST(Ring, LayoutKeepsShortMessagesInOneLine) {
  EXPECT_EQ(RecordLayout(0, 0).lines, 1U);
  EXPECT_EQ(RecordLayout(0, 40).lines, 1U);
  EXPECT_EQ(RecordLayout(0, 41).lines, 2U);
  EXPECT_EQ(RecordLayout(24, 16).lines, 1U);
  EXPECT_EQ(RecordLayout(0, 4096).body_offset % line_bytes, 0U);
  EXPECT_EQ(RecordLayout(64, 4096).body_offset % line_bytes, 0U);
}

}  // namespace
}  // namespace bowline::shm
