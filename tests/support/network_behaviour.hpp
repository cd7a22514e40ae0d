// SPDX-License-Identifier: BSD-3-Clause
// What every network between nodes must do (transport/transport.hpp), as checks that the tests of each network call.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "support/device_pair.hpp"

namespace bowline::test {

template <class Network>
class NetworkBehaviour : public DevicePair<Network> {
 protected:
  using typename DevicePair<Network>::Device;
  using DevicePair<Network>::at_first;
  using DevicePair<Network>::at_second;
  using DevicePair<Network>::connect;
  using DevicePair<Network>::first;
  using DevicePair<Network>::network;
  using DevicePair<Network>::second;
  using DevicePair<Network>::send;
  using DevicePair<Network>::to_second;
  using DevicePair<Network>::until;

  void a_message_arrives_as_it_was_sent() {
    const Bytes prefix = pattern(24, 1);
    const Bytes body = pattern(100, 2);
    send(*to_second, {.context = 7, .source = -2, .tag = 9, .kind = 4}, prefix, body);
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

  void a_process_of_another_job_knows_this_one_by_another_index() {
    Device other = network.device(0, 2, "in another job");  // 2 are of its own job; then 9 of the one of `first`
    Collector at_other;
    first.grow_to(11);
    other.grow_to(11);
    first.known_as(9, 5);
    other.known_as(5, 9);
    const auto there = connect(first, 9, other);
    const auto back = connect(other, 5, first);
    until([&] {
      other.poll(at_other);
      return there->send({.tag = 1}, {}, {}) == transport::Post::done;
    });
    until([&] {
      other.poll(at_other);
      return back->send({.tag = 2}, {}, {}) == transport::Post::done;
    });
    send(*to_second, {.tag = 3}, {}, {});
    until([&] {
      other.poll(at_other);
      return !at_other.arrivals.empty() && !at_first.arrivals.empty() && !at_second.arrivals.empty();
    });
    EXPECT_EQ(at_other.arrivals.front().peer, 5);
    EXPECT_EQ(at_first.arrivals.front().peer, 9);
    EXPECT_EQ(at_second.arrivals.front().peer, 3);  // within the job nothing has changed
  }

  void every_length_up_to_the_limit_is_copied_before_send_returns() {
    const std::size_t longest = to_second->limits().max_body;
    for (const std::size_t wanted :
         {std::size_t{0}, std::size_t{1}, std::size_t{250}, std::size_t{4095}, std::size_t{8192}, longest}) {
      const std::size_t bytes = std::min(wanted, longest);
      Bytes body = pattern(bytes, 3);
      send(*to_second, {}, {}, body);
      std::ranges::fill(body, std::byte{0});
      until([&] { return !at_second.arrivals.empty(); });
      EXPECT_EQ(at_second.arrivals.front().body, pattern(bytes, 3)) << bytes;
      at_second.arrivals.clear();
    }
  }

  void what_the_sink_cannot_take_is_delivered_again_and_in_order() {
    at_second.refusals = 3;
    for (int tag = 0; tag < 10; ++tag) send(*to_second, {.tag = tag}, {}, {});
    until([&] { return at_second.arrivals.size() == 10; });
    EXPECT_EQ(at_second.refusals, 0);
    ASSERT_EQ(at_second.arrivals.size(), 10U);
    for (int tag = 0; tag < 10; ++tag) EXPECT_EQ(at_second.arrivals[static_cast<std::size_t>(tag)].header.tag, tag);
  }

  void a_sleeper_hears_of_a_message() {
    send(*to_second, {}, {}, {});
    until([&] { return !at_second.arrivals.empty(); });
    const auto deadline = Clock::now() + patience;
    while (second.ready() && Clock::now() < deadline) second.poll(at_second);
    pollfd descriptor{second.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&descriptor, 1, 50), 0) << "woken by nothing";
    ASSERT_EQ(to_second->send({}, {}, {}), transport::Post::done);
    ASSERT_EQ(poll(&descriptor, 1, 10000), 1) << "not woken";
    EXPECT_TRUE(second.ready());
    until([&] { return at_second.arrivals.size() == 2; });
  }

  /// The first word is the version.
  void an_address_that_has_arrived_damaged_is_refused() {
    for (std::size_t at = sizeof(std::uint64_t); at < second.address().size(); ++at) {
      transport::Address damaged = second.address();
      damaged[at] ^= std::byte{1};
      EXPECT_THROW(static_cast<void>(first.connect(7, damaged)), Error) << at;
    }
  }
};

}  // namespace bowline::test
