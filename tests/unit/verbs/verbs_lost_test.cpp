// SPDX-License-Identifier: BSD-3-Clause
// verbs: a peer that is killed.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "support/victim.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

void serve(int pipe) {
  Adapter adapter(survey_ports().front());
  VerbsDevice device(adapter, 1, 3, "victim");
  test::Victim::receive_for_ever(device, pipe);
}

TEST(VerbsLost, APeerThatDiesFailsWhatIsUnderWayIsNamedWithItsHostAndOthersGoOn) {
  test::Victim victim(serve);
  const test::Setting impatient{"verbs_contact_patience", "1"};
  Adapter adapter(survey_ports().front());
  VerbsDevice device(adapter, 0, 3, "here"), other(adapter, 2, 3, "here");
  Collector sink, at_other;
  const auto endpoint = device.connect(1, victim.address);
  const auto to_other = device.connect(2, other.address());
  const auto deadline = Clock::now() + patience;
  const auto poll = [&] {
    device.poll(sink);
    other.poll(at_other);
    return Clock::now() < deadline;
  };
  while (endpoint->send({}, {}, {}) != Post::done && poll()) continue;
  while (to_other->send({}, {}, {}) != Post::done && poll()) continue;
  while (!device.drained() && poll()) continue;
  EXPECT_FALSE(endpoint->lost());
  victim.kill();

  const Bytes nothing = write_key(adapter.acquire(victim.address));  // a key that the victim does not know
  Ends ends;
  Bytes data = pattern(100'000, 1);
  int begun = 0;
  while (!endpoint->lost() && poll()) {
    if (begun < 3) {
      ++begun;
      EXPECT_EQ(endpoint->get({0x1000, nothing}, data, ends), Access::begun);
    }
    static_cast<void>(endpoint->send({}, {}, std::span(data).first(100)));
  }
  ASSERT_TRUE(endpoint->lost());
  while (ends.count < begun && poll()) continue;
  EXPECT_EQ(ends.count, begun);
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::retry);
  EXPECT_EQ(device.lost_peers(), 1U);
  EXPECT_NE(endpoint->loss().find("on victim cannot be reached any more"), std::string::npos) << endpoint->loss();
  ASSERT_EQ(ends.failures.size(), 3U);
  for (const std::string& text : ends.failures) EXPECT_NE(text.find("rank 1 on victim"), std::string::npos) << text;
  EXPECT_THROW(static_cast<void>(endpoint->get({0x1000, nothing}, data, ends)), Error);

  const std::size_t before = at_other.arrivals.size();
  while (to_other->send({.tag = 9}, {}, {}) != Post::done && poll()) continue;
  while (at_other.arrivals.size() == before && poll()) continue;
  EXPECT_EQ(at_other.arrivals.back().header.tag, 9);
}

TEST(VerbsLost, APeerThatDiesBeforeFirstContactIsLostAfterSomePatience) {
  test::Victim victim(serve);
  const test::Setting impatient{"verbs_contact_patience", "1"};
  Adapter adapter(survey_ports().front());
  VerbsDevice device(adapter, 0, 3, "here");
  Collector sink;
  victim.kill();
  const auto endpoint = device.connect(1, victim.address);
  EXPECT_FALSE(endpoint->lost());
  const auto deadline = Clock::now() + patience;
  while (!endpoint->lost() && Clock::now() < deadline) device.poll(sink);
  ASSERT_TRUE(endpoint->lost());
  EXPECT_EQ(device.lost_peers(), 1U);
  EXPECT_NE(endpoint->loss().find("on victim cannot be reached"), std::string::npos) << endpoint->loss();
  EXPECT_NE(endpoint->loss().find("refused"), std::string::npos) << endpoint->loss();
}

}  // namespace
}  // namespace bowline::verbs
