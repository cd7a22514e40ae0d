// SPDX-License-Identifier: BSD-3-Clause
// shm/ring between two threads: millions of records arrive in order and whole.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ring_records.hpp"
#include "support/seed.hpp"

namespace bowline::shm {
namespace {

std::uint64_t checksum(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) {
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&](std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 1099511628211U;
  };
  add(std::as_bytes(std::span(&header.tag, 1)));
  add(prefix);
  add(body);
  return hash;
}

/// The records of a two-thread run: both sides draw the same random numbers, so only the sum of all checksums is
/// compared at the end, and the order at once.
class Stream {
 public:
  explicit Stream(std::uint32_t seed) : random_(seed), bytes_(longest + 64) {
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = static_cast<std::byte>(random_());
  }
  struct Item {
    Header header;
    std::span<const std::byte> prefix;
    std::span<const std::byte> body;
  };
  Item next(std::int32_t number) {
    const std::size_t prefix = random_() % 4 == 0 ? random_() % 65 : 0;
    const std::size_t body = random_() % 64 == 0 ? random_() % (longest - prefix) : random_() % 130;
    const std::size_t at = random_() % (bytes_.size() - prefix - body);
    const std::span<const std::byte> all(bytes_);
    return {{.tag = number}, all.subspan(at, prefix), all.subspan(at + prefix, body)};
  }

 private:
  std::mt19937 random_;
  std::vector<std::byte> bytes_;
};

/// What the receiving side has seen.
struct Received {
  std::uint64_t checksums = 0;
  std::int32_t out_of_order = 0;

  void expect(std::uint64_t sent) const {
    EXPECT_EQ(out_of_order, 0);
    EXPECT_EQ(checksums, sent);
  }
};

/// Takes so many records. A wrong one ends the program, because the producer could not go on.
Received receive(TestRing& ring, std::int32_t records) {
  Received received;
  for (std::int32_t i = 0; i < records;) {
    const Taken taken = ring.consumer.pop([&](Header header, auto prefix, auto body) {
      received.out_of_order += header.tag == i ? 0 : 1;
      received.checksums += checksum(header, prefix, body);
    });
    if (taken == Taken::wrong) throw std::logic_error("a record is wrong");
    if (taken == Taken::one) {
      ++i;
    } else {
      std::this_thread::yield();
    }
  }
  return received;
}

TEST(ThreadsRing, RandomRecordsArriveInOrderAndWholeWhileTheWindowGrows) {
  constexpr std::int32_t records = 300'000;
  TestRing ring(long_ring, first_window(long_ring));
  std::uint64_t sent = 0;
  std::thread producer([&] {
    Stream stream(7);
    for (std::int32_t i = 0; i < records; ++i) {
      const Stream::Item item = stream.next(i);
      while (!ring.producer.push(item.header, item.prefix, item.body)) {
        const bool takes = ring.producer.takes(item.prefix.size(), item.body.size());
        if ((!takes || i > records / 2) && ring.producer.window() < long_ring) {
          ring.producer.widen();
        } else {
          std::this_thread::yield();
        }
      }
      sent += checksum(item.header, item.prefix, item.body);
    }
  });
  const Received received = receive(ring, records);
  producer.join();
  received.expect(sent);
}

TEST(ThreadsRing, MillionsOfRandomRecordsArriveInOrderAndWhole) {
  constexpr std::int32_t records = 1'000'000;
  for (const std::size_t ring_lines : {std::size_t{256}, std::size_t{1024}}) {
    SCOPED_TRACE(ring_lines);
    TestRing ring(ring_lines);
    std::uint64_t sent = 0;
    std::thread producer([&] {
      Stream stream(static_cast<std::uint32_t>(ring_lines));
      for (std::int32_t i = 0; i < records; ++i) {
        const Stream::Item item = stream.next(i);
        while (!ring.producer.push(item.header, item.prefix, item.body)) std::this_thread::yield();
        sent += checksum(item.header, item.prefix, item.body);
      }
    });
    const Received received = receive(ring, records);
    producer.join();
    received.expect(sent);
    EXPECT_FALSE(ring.consumer.ready());
  }
}

}  // namespace
}  // namespace bowline::shm
