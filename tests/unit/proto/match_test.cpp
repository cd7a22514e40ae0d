// SPDX-License-Identifier: BSD-3-Clause
// proto/match: the two queues of a context, without an engine.
#include "proto/matching/match.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "dtype/predefined.hpp"

namespace bowline::proto {
namespace {

class Matching : public testing::Test {
 protected:
  ~Matching() override {
    while (!queue.posted.all().empty()) queue.posted.remove(queue.posted.all().front());
    while (!queue.unexpected.empty()) queue.unexpected.remove(queue.unexpected.all().front());
  }
  ReceiveRequest& post(int source, int tag) {
    receives.emplace_back(0, source, tag, Buffer{nullptr, 0, &dtype::byte_type()});
    queue.posted.post(receives.back());
    return receives.back();
  }
  Unexpected& arrive(int source, int tag) {
    messages.emplace_back();
    messages.back().header = header(source, tag);
    queue.unexpected.add(messages.back());
    return messages.back();
  }
  static transport::Header header(int source, int tag) { return {.source = source, .tag = tag}; }

  std::deque<ReceiveRequest> receives;
  std::deque<Unexpected> messages;
  MatchQueue queue{0};
};

TEST_F(Matching, NothingMatchesAnEmptyQueue) {
  EXPECT_EQ(queue.posted.take(header(0, 0)), nullptr);
  EXPECT_EQ(queue.unexpected.find(any_source, any_tag), nullptr);
}

TEST_F(Matching, AReceiveAcceptsItsSourceAndTagOrWildcards) {
  const ReceiveRequest& exact = post(2, 5);
  const ReceiveRequest& from_any = post(any_source, 5);
  const ReceiveRequest& any_tagged = post(2, any_tag);
  const ReceiveRequest& anything = post(any_source, any_tag);
  for (int source = 0; source < 4; ++source) {
    for (int tag = 4; tag < 7; ++tag) {
      const auto message = header(source, tag);
      EXPECT_EQ(exact.accepts(message), source == 2 && tag == 5);
      EXPECT_EQ(from_any.accepts(message), tag == 5);
      EXPECT_EQ(any_tagged.accepts(message), source == 2);
      EXPECT_TRUE(anything.accepts(message));
    }
  }
}

TEST_F(Matching, AMessageTakesTheOldestReceiveAndTakesItAway) {
  ReceiveRequest& first = post(any_source, 5);
  ReceiveRequest& second = post(2, 5);
  ReceiveRequest& third = post(2, any_tag);
  EXPECT_EQ(queue.posted.take(header(2, 5)), &first);
  EXPECT_EQ(queue.posted.take(header(2, 6)), &third);
  EXPECT_EQ(queue.posted.take(header(2, 5)), &second);
  EXPECT_EQ(queue.posted.take(header(2, 5)), nullptr);
}

TEST_F(Matching, AReceiveFindsTheOldestMessageAndLeavesItUntilRemoved) {
  Unexpected& first = arrive(1, 5);
  Unexpected& second = arrive(2, 5);
  Unexpected& third = arrive(1, 6);
  EXPECT_EQ(queue.unexpected.find(any_source, any_tag), &first);
  EXPECT_EQ(queue.unexpected.find(any_source, any_tag), &first);
  EXPECT_EQ(queue.unexpected.find(2, any_tag), &second);
  EXPECT_EQ(queue.unexpected.find(any_source, 6), &third);
  EXPECT_EQ(queue.unexpected.find(2, 6), nullptr);
  queue.unexpected.remove(first);
  EXPECT_EQ(queue.unexpected.find(1, any_tag), &third);
}

}  // namespace
}  // namespace bowline::proto
