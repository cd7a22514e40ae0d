// SPDX-License-Identifier: BSD-3-Clause
// verbs: what an adapter reports by itself.
#include "verbs/adapter_events.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <string>

#include "support/event_record.hpp"
#include "support/fabric/fabric_control.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

class VerbsEvents : public Verbs {
 protected:
  VerbsEvents() {
    send(*to_second, {}, {}, {});
    until([&] { return !at_second.arrivals.empty() && first.drained(); });
  }
  /// Whether the device becomes ready to sleep and then sleeps: nothing wakes it for a while.
  static bool falls_asleep(VerbsDevice& device, Collector& sink) {
    const auto deadline = Clock::now() + patience;
    while (device.ready()) {
      if (Clock::now() > deadline) return false;
      device.poll(sink);
    }
    pollfd descriptor{device.descriptor(), POLLIN, 0};
    return poll(&descriptor, 1, 50) == 0;
  }
  static bool is_woken(const VerbsDevice& device) {
    pollfd descriptor{device.descriptor(), POLLIN, 0};
    return poll(&descriptor, 1, 10'000) == 1;
  }
};

/// Both devices use the adapter, as those of two lanes do.
TEST_F(VerbsEvents, ADeadAdapterWakesSleepersAndLosesAllPeersWithASentence) {
  ASSERT_TRUE(falls_asleep(first, at_first) && falls_asleep(second, at_second));
  Bytes data(100);
  Ends ends;
  const auto to_first = connect(second, 3, first);
  fabric_report_event(0, IBV_EVENT_DEVICE_FATAL, 0);
  ASSERT_TRUE(is_woken(first));
  testing::internal::CaptureStderr();
  ASSERT_TRUE(first.ready());
  first.poll(at_first);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the RDMA adapter fabric0 cannot be used any more: it reports a fatal error"), std::string::npos)
      << said;
  ASSERT_TRUE(is_woken(second)) << "the other device has read the event";
  ASSERT_TRUE(second.ready());
  second.poll(at_second);
  EXPECT_TRUE(to_second->lost() && to_first->lost());
  EXPECT_NE(to_second->loss().find("on there cannot be reached any more"), std::string::npos) << to_second->loss();
  EXPECT_NE(to_second->loss().find("reports a fatal error of the device"), std::string::npos) << to_second->loss();
  EXPECT_EQ(first.lost_peers(), 1U);
  EXPECT_THROW(static_cast<void>(to_second->flush(ends)), Error);
  EXPECT_TRUE(connect(first, 7, second)->lost()) << "who is contacted later";
  EXPECT_TRUE(falls_asleep(first, at_first) && falls_asleep(second, at_second));
}

TEST_F(VerbsEvents, AFailedQueueIsTheEndOfTheAdapter) {
  fabric_report_event(0, IBV_EVENT_CQ_ERR, 0);
  until([&] { return to_second->lost(); });
  EXPECT_NE(to_second->loss().find("reports that a completion queue has failed"), std::string::npos);
}

TEST_F(VerbsEvents, APortThatIsDownIsAWarningAndPeersStay) {
  const test::EventRecord heard("port_down");
  ASSERT_TRUE(falls_asleep(first, at_first));
  testing::internal::CaptureStderr();
  fabric_report_event(0, IBV_EVENT_PORT_ERR, 2);  // another one
  fabric_report_event(0, IBV_EVENT_PORT_ERR, 1);
  fabric_report_event(0, IBV_EVENT_PATH_MIG, 0);
  EXPECT_TRUE(is_woken(first));
  EXPECT_TRUE(falls_asleep(first, at_first));
  const std::string said = testing::internal::GetCapturedStderr();
  const auto found = said.find("fabric0, port 1 has gone down");
  EXPECT_NE(found, std::string::npos) << said;
  EXPECT_EQ(said.find("has gone down", found + 40), std::string::npos) << "said twice: " << said;
  EXPECT_EQ(heard.all(), test::EventRecord::Occurrences{{1}});
  send(*to_second, {}, {}, {});
  until([&] { return at_second.arrivals.size() == 2; });
}

}  // namespace
}  // namespace bowline::verbs
