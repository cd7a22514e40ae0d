// SPDX-License-Identifier: BSD-3-Clause
// proto/request_store: requests get the memory of recycled ones, but neither their generation nor their id.
#include "proto/request_store.hpp"

#include <gtest/gtest.h>

#include "dtype/predefined.hpp"

namespace bowline::proto {
namespace {

class Requests : public testing::Test {
 protected:
  ReceiveRequest& receive() {
    return requests.new_receive({.context = 1, .source = 0, .tag = 0}, Buffer{nullptr, 0, &dtype::byte_type()});
  }
  int pending() const {
    int count = 0;
    requests.for_each_receive([&](const ReceiveRequest&) { ++count; });
    return count;
  }

  RequestStore requests;
};

TEST_F(Requests, ARecycledRequestIsStale) {
  ReceiveRequest& first = receive();
  const auto generation = first.generation;
  requests.recycle(first);
  ReceiveRequest& second = receive();
  EXPECT_EQ(&second, &first);
  EXPECT_NE(second.generation, generation);
  EXPECT_EQ(second.mark, Request::alive);
}

TEST_F(Requests, AnIdNamesItsReceiveUntilItIsTakenAway) {
  ReceiveRequest& first = receive();
  requests.name(first);
  const std::uint64_t id = first.number;
  EXPECT_EQ(requests.receive_named(id), &first);
  EXPECT_EQ(requests.send_named(id), nullptr);
  requests.unname(first);
  EXPECT_EQ(requests.receive_named(id), nullptr);
  requests.name(first);
  EXPECT_NE(first.number, id);
}

TEST_F(Requests, OnlyActiveOnesThatAreNotDoneArePending) {
  ReceiveRequest& waits = receive();
  receive().done = true;
  receive().active = false;
  EXPECT_EQ(pending(), 1);
  EXPECT_EQ(requests.find([&](const Request& each) { return &each == &waits; }), &waits);
  requests.recycle(waits);
  EXPECT_EQ(pending(), 0);
}

}  // namespace
}  // namespace bowline::proto
