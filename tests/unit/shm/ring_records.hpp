// SPDX-License-Identifier: BSD-3-Clause
// Rings in this process's memory, and records to push into them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "shm/ring.hpp"

namespace bowline::shm {

using transport::Header;

/// The memory of a ring, zero at first as a new segment is, with both halves on it.
class TestRing {
 public:
  explicit TestRing(std::size_t lines) : TestRing(lines, lines) {}
  TestRing(std::size_t lines, std::size_t window)
      : memory_(new (std::align_val_t{4096}) std::byte[ring_bytes(lines)]()),
        producer(memory_.get(), lines, window),
        consumer(memory_.get(), lines) {}

  /// Whether nothing was ever written behind so many lines.
  bool untouched_from(std::size_t window, std::size_t lines) const {
    return std::all_of(memory_.get() + ring_bytes(window), memory_.get() + ring_bytes(lines),
                       [](std::byte b) { return b == std::byte{0}; });
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{4096}); }
  };
  std::unique_ptr<std::byte[], Free> memory_;

 public:
  RingProducer producer;
  RingConsumer consumer;
};

struct Record {
  Header header;
  std::vector<std::byte> prefix;
  std::vector<std::byte> body;
};

inline bool operator==(const Record& a, const Record& b) {
  return std::memcmp(&a.header, &b.header, sizeof a.header) == 0 && a.prefix == b.prefix && a.body == b.body;
}

/// A record whose every byte follows from its number, so that a byte out of place is seen.
inline Record make_record(std::uint32_t number, std::size_t prefix, std::size_t body) {
  Record record{.header = {.context = number, .source = static_cast<std::int32_t>(number * 3), .tag = -1, .kind = 7},
                .prefix = std::vector<std::byte>(prefix),
                .body = std::vector<std::byte>(body)};
  std::uint32_t state = number * 2654435761U + 1;
  const auto next = [&] { return static_cast<std::byte>((state = state * 1664525U + 1013904223U) >> 24); };
  std::ranges::generate(record.prefix, next);
  std::ranges::generate(record.body, next);
  return record;
}

inline bool push(RingProducer& producer, const Record& record) {
  return producer.push(record.header, record.prefix, record.body);
}

inline bool pop(RingConsumer& consumer, Record& record) {
  return consumer.pop([&](Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) {
    record = {header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}};
  }) == Taken::one;
}

inline constexpr std::size_t lines = 256;
inline constexpr std::size_t longest = ring_max_body(lines);
inline constexpr std::size_t long_ring = 2048;

}  // namespace bowline::shm
