// SPDX-License-Identifier: BSD-3-Clause
// proto/match: long queues are indexed. They behave as a plain list does, and cost the same however long they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <random>
#include <string>

#include "dtype/predefined.hpp"
#include "proto/matching/match.hpp"
#include "support/seed.hpp"

namespace bowline::proto {
namespace {

transport::Header header(int source, int tag) {
  return {.source = source, .tag = tag};
}
Buffer no_buffer() {
  return {nullptr, 0, &dtype::byte_type()};
}

/// Both kinds of queues, and plain lists that are asked the same.
class Model {
 public:
  explicit Model(std::uint32_t seed) : random_(seed) {}
  ~Model() {
    for (auto& receive : posted_) queue_.posted.remove(*receive);
    for (auto& message : unexpected_) queue_.unexpected.remove(*message);
  }

  // Few sources and many tags, or the other way around: oversubscribed keys and lonely ones.
  int source() { return static_cast<int>(random_() % 4); }
  int tag() { return static_cast<int>(random_() % 40); }
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  int asked_source() { return chance(20) ? any_source : source(); }
  int asked_tag() { return chance(20) ? any_tag : tag(); }
  std::size_t posted() const { return posted_.size(); }
  std::size_t unexpected() const { return unexpected_.size(); }

  void post() {
    posted_.push_back(std::make_unique<ReceiveRequest>(0, asked_source(), asked_tag(), no_buffer()));
    queue_.posted.post(*posted_.back());
  }
  void take() {
    const auto message = header(source(), tag());
    const auto place = std::ranges::find_if(posted_, [&](const auto& each) { return each->accepts(message); });
    ASSERT_EQ(queue_.posted.take(message), place == posted_.end() ? nullptr : place->get());
    if (place != posted_.end()) posted_.erase(place);
  }
  void cancel_receive() {
    if (posted_.empty()) return;
    const auto place = std::next(posted_.begin(), static_cast<std::ptrdiff_t>(random_() % posted_.size()));
    queue_.posted.remove(**place);
    posted_.erase(place);
  }
  void arrive() {
    unexpected_.push_back(std::make_unique<Unexpected>());
    unexpected_.back()->header = header(source(), tag());
    queue_.unexpected.add(*unexpected_.back());
  }
  void find(bool remove) {
    const ReceiveRequest asking(0, asked_source(), asked_tag(), no_buffer());
    const auto place =
        std::ranges::find_if(unexpected_, [&](const auto& each) { return asking.accepts(each->header); });
    Unexpected* const expected = place == unexpected_.end() ? nullptr : place->get();
    ASSERT_EQ(queue_.unexpected.find(asking.source, asking.tag), expected);
    if (expected == nullptr || !remove) return;
    queue_.unexpected.remove(*expected);
    unexpected_.erase(place);
  }

 private:
  std::mt19937 random_;
  MatchQueue queue_{0};
  std::list<std::unique_ptr<ReceiveRequest>> posted_;
  std::list<std::unique_ptr<Unexpected>> unexpected_;
};

class MatchIndex : public testing::Test {};

// The queues grow and shrink in turns, so that they cross the length from which on they are indexed both ways, and
// sometimes become empty.
TEST_F(MatchIndex, BehavesAsAPlainListDoes) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Model model(seed);
    bool growing = true;
    for (int step = 0; step < 30'000; ++step) {
      if (step % 500 == 0) growing = !growing;
      const unsigned more = growing ? 65 : 15;
      model.chance(more) ? model.post() : model.take();
      if (model.chance(5)) model.cancel_receive();
      model.chance(more) ? model.arrive() : model.find(true);
      model.find(false);
      if (HasFatalFailure()) FAIL() << "in step " << step;
    }
  }
}

TEST_F(MatchIndex, ShrunkButNotEmptyItStillFindsNewcomers) {
  MatchQueue queue{0};
  std::deque<ReceiveRequest> receives;
  std::deque<Unexpected> messages;
  const int many = 2 * static_cast<int>(walked_at_most);
  for (int i = 0; i < many; ++i) {
    queue.posted.post(receives.emplace_back(0, 1, i, no_buffer()));
    messages.emplace_back().header = header(1, i);
    queue.unexpected.add(messages.back());
  }
  for (int i = 1; i < many; ++i) {
    EXPECT_EQ(queue.posted.take(header(1, i)), &receives[static_cast<std::size_t>(i)]);
    queue.unexpected.remove(*queue.unexpected.find(1, i));
  }
  queue.posted.post(receives.emplace_back(0, 2, 5, no_buffer()));
  EXPECT_EQ(queue.posted.take(header(2, 5)), &receives.back());
  messages.emplace_back().header = header(2, 5);
  queue.unexpected.add(messages.back());
  EXPECT_EQ(queue.unexpected.find(2, 5), &messages.back());
  EXPECT_EQ(queue.unexpected.find(2, any_tag), &messages.back());
  EXPECT_EQ(queue.unexpected.find(any_source, 5), &messages.back());
  queue.unexpected.remove(messages.back());
  queue.posted.remove(receives.front());
  queue.unexpected.remove(messages.front());
}

/// The shortest of several measurements, in nanoseconds per call: what the machine does besides only makes it longer.
template <class F>
double time_of(F action) {
  double best = 1e30;
  for (int attempt = 0; attempt < 20; ++attempt) {
    constexpr int calls = 200;
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) action();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / calls);
  }
  return best;
}

/// How long it takes to match behind this many others: a receive, and a message, each by all four ways of asking.
double time_behind(int others) {
  MatchQueue queue{0};
  std::deque<ReceiveRequest> receives;
  std::deque<Unexpected> messages;
  for (int i = 0; i < others; ++i) {
    queue.posted.post(receives.emplace_back(0, 1, i, no_buffer()));
    messages.emplace_back().header = header(1, i);
    queue.unexpected.add(messages.back());
  }
  ReceiveRequest last(0, 2, 1'000'000, no_buffer());
  Unexpected newest;
  newest.header = header(2, 1'000'000);
  const double took = time_of([&] {
    queue.posted.post(last);
    EXPECT_EQ(queue.posted.take(newest.header), &last);
    queue.unexpected.add(newest);
    EXPECT_EQ(queue.unexpected.find(2, 1'000'000), &newest);
    EXPECT_EQ(queue.unexpected.find(2, any_tag), &newest);
    EXPECT_EQ(queue.unexpected.find(any_source, 1'000'000), &newest);
    queue.unexpected.remove(newest);
  });
  for (ReceiveRequest& receive : receives) queue.posted.remove(receive);
  for (Unexpected& message : messages) queue.unexpected.remove(message);
  return took;
}

TEST_F(MatchIndex, TenThousandOthersCostNothing) {
  // Walking them all would take hundreds of times as long; caches and buckets may cost a little.
  const double few = time_behind(100);
  const double many = time_behind(10'000);
  EXPECT_LT(many, 20 * few + 1000) << "in nanoseconds, behind 10000; behind 100: " << few;
}

}  // namespace
}  // namespace bowline::proto
