// SPDX-License-Identifier: BSD-3-Clause
// The halves of a ring against memory in which anything may stand: each record that is taken lies in the ring and is no
// longer than one may be, what is no record is refused for good, and so is a count of released lines that cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "shm/ring.hpp"
#include "support/seed.hpp"

namespace bowline::shm {
namespace {

constexpr std::size_t lines = 128;

/// A ring that ends where its memory ends, so that AddressSanitizer sees who goes beyond.
class FuzzedRing {
 public:
  FuzzedRing() : memory_(new (std::align_val_t{line_bytes}) std::byte[ring_bytes(lines)]()) {}

  RingView view() { return {memory_.get(), lines}; }
  std::span<std::byte> all() { return {memory_.get(), ring_bytes(lines)}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{line_bytes}); }
  };
  std::unique_ptr<std::byte[], Free> memory_;

 public:
  RingProducer producer{memory_.get(), lines};
  RingConsumer consumer{memory_.get(), lines};
};

class RingFuzz : public testing::Test {
 protected:
  std::uint64_t word() { return (std::uint64_t{random()} << 32) | random(); }

  /// Pushes some records as a correct producer does.
  void push_some() {
    const std::vector<std::byte> bytes(ring_max_body(lines), std::byte{0x5a});
    for (unsigned i = random() % 4; i > 0; --i) {
      const std::size_t prefix = random() % 3 == 0 ? random() % (ring_max_prefix + 1) : 0;
      const std::size_t body = random() % 2 == 0 ? random() % 60 : random() % (ring_max_body(lines) - prefix);
      const std::span<const std::byte> all(bytes);
      pushed_ += ring->producer.push({.tag = 1}, all.first(prefix), all.first(body)) ? 1 : 0;
    }
  }

  /// Has something else stand where records are.
  void damage() {
    const RingView view = ring->view();
    const std::uint64_t next = ring->consumer.position();
    const std::uint64_t place = random() % lines;
    const std::uint64_t stamp = ring->consumer.stamp();
    const std::uint64_t this_lap = std::uint64_t{view.lap(next)} << 32;
    switch (random() % 7) {
      case 0:  // any bit
        ring->all()[random() % ring->all().size()] ^= static_cast<std::byte>(1U << (random() % 8));
        break;
      case 1:  // a bit of the next stamp
        view.stamp(next).store(stamp ^ (std::uint64_t{1} << (random() % 64)));
        break;
      case 2:  // any lengths
        view.stamp(next).store(this_lap | random());
        break;
      case 3:  // those that are nearly right
        view.stamp(next).store(this_lap | (random() % (2 * ring_max_body(lines)) << 8) | (random() % 80));
        break;
      case 4:  // a way to the start of the ring, and anything there
        view.stamp(next).store(this_lap | (Stamp::skip_body << 8));
        view.stamp(0).store((std::uint64_t{view.lap(next) + 1} << 32) | random());
        break;
      case 5:
        view.stamp(place).store(this_lap | random());
        break;
      default:
        view.stamp(place).store(word());
    }
  }

  Taken take() {
    return ring->consumer.pop(
        [&](transport::Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) {
          ASSERT_LE(prefix.size(), ring_max_prefix);
          ASSERT_LE(prefix.size() + body.size(), ring_max_body(lines));
          for (const std::byte each : prefix) sum_ += static_cast<unsigned>(each);
          for (const std::byte each : body) sum_ += static_cast<unsigned>(each);
          sum_ += static_cast<unsigned>(header.tag);
        });
  }

  std::mt19937 random;
  std::unique_ptr<FuzzedRing> ring = std::make_unique<FuzzedRing>();
  std::uint64_t pushed_ = 0;  ///< records
  std::uint64_t taken_ = 0;
  std::uint64_t refused_ = 0;
  unsigned sum_ = 0;  ///< what was read is used
};

TEST_F(RingFuzz, TheConsumerTakesRecordsOrNothing) {
  const std::size_t each = test::fuzz_messages() / test::seeds().size();
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::cout << "seed " << seed << '\n';
    random.seed(seed);
    for (std::size_t i = 0; i < each; ++i) {
      push_some();
      damage();
      Taken what = Taken::one;
      // A damaged ring may seem to hold something for ever: a consumer looks at so many records in one poll.
      for (int budget = 16; budget > 0 && what == Taken::one; --budget) {
        what = take();
        taken_ += what == Taken::one ? 1 : 0;
      }
      ASSERT_FALSE(HasFatalFailure());
      if (what == Taken::wrong) {
        ++refused_;
        ASSERT_EQ(take(), Taken::wrong) << "it is wrong for good";
        ring = std::make_unique<FuzzedRing>();
      }
    }
  }
  EXPECT_GT(taken_, each / 100);
  EXPECT_GT(refused_, each / 100);
  RecordProperty("taken", std::to_string(taken_));
  RecordProperty("refused", std::to_string(refused_));
}

TEST_F(RingFuzz, TheProducerBelievesNoCountThatCannotBe) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::cout << "seed " << seed << '\n';
    random.seed(seed);
    for (int i = 0; i < 4'000; ++i) {
      push_some();
      auto& released = ring->view().control().released;
      const std::uint64_t right = released.load();
      const std::uint64_t pushed = ring->producer.pushed();
      const std::uint64_t said = random() % 3 == 0 ? word() : right + random() % 200;
      released.store(said);
      for (std::size_t room = 2 * lines; room > 0 && ring->producer.push({}, {}, {}); --room) {
      }
      if (ring->producer.nonsense().has_value()) {
        ASSERT_EQ(ring->producer.nonsense(), said);
        ASSERT_GT(pushed - said, lines) << "it can be";
        ++refused_;
        ring = std::make_unique<FuzzedRing>();
      } else if (said <= pushed) {
        while (take() == Taken::one) ++taken_;
      }
      if (said > pushed) ring = std::make_unique<FuzzedRing>();
    }
  }
  EXPECT_GT(taken_, 100U);
  EXPECT_GT(refused_, 100U);
}

}  // namespace
}  // namespace bowline::shm
