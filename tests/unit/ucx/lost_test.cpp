// SPDX-License-Identifier: BSD-3-Clause
// ucx: a peer that is killed.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "support/victim.hpp"
#include "two_devices.hpp"

namespace bowline::ucx {
namespace {

void serve(int pipe) {
  Context context(1, transport::Reach::everywhere);
  UcxDevice device(context, 1, 2, "victim");
  test::Victim::receive_for_ever(device, pipe);
}

TEST(UcxLost, APeerThatDiesFailsWhatIsUnderWayAndIsNamedWithItsHost) {
  test::Victim victim(serve);  // before UCX is initialized here: it must not be forked
  Context context(1, transport::Reach::everywhere);
  UcxDevice device(context, 0, 2, "here");
  const auto endpoint = device.connect(1, victim.address);
  Collector sink;
  ASSERT_NE(endpoint->send_or_keep({}, {}, {}, nullptr), Post::retry);
  const auto deadline = Clock::now() + patience;
  while (!device.drained() && Clock::now() < deadline) device.poll(sink);
  EXPECT_FALSE(endpoint->lost());
  victim.kill();
  Ends ends;
  Bytes data = pattern(56000, 1);
  std::vector<iovec> blocks;
  for (std::size_t at = 0; at + 5000 <= data.size(); at += 6000) blocks.push_back({&data[at], 5000});
  int begun = 0;
  for (int posted = 0; !endpoint->lost() && Clock::now() < deadline; ++posted) {
    const Post post = posted % 2 == 0 ? endpoint->post({}, {}, one_run(data), ends)
                                      : endpoint->post({}, {}, std::vector(blocks), ends);
    if (post == Post::begun) ++begun;
    device.poll(sink);
  }
  ASSERT_TRUE(endpoint->lost());
  while (ends.count < begun && Clock::now() < deadline) device.poll(sink);
  EXPECT_EQ(ends.count, begun);
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::retry);
  EXPECT_EQ(device.lost_peers(), 1U);
  EXPECT_NE(endpoint->loss().find("on victim cannot be reached any more"), std::string::npos) << endpoint->loss();
  for (const std::string& text : ends.failures) EXPECT_NE(text.find("rank 1 on victim"), std::string::npos) << text;
}

TEST(UcxLost, APeerThatDiesBeforeFirstContactIsLostAfterSomePatience) {
  test::Victim victim(serve);
  Context context(1, transport::Reach::everywhere);
  UcxDevice device(context, 0, 2, "here");
  victim.kill();
  EXPECT_THROW(static_cast<void>(device.connect(1, victim.address)), Error);
  EXPECT_EQ(device.lost_peers(), 0U);
  const test::Setting impatient{"ucx_contact_patience", "0"};
  const auto endpoint = device.connect(1, victim.address);
  EXPECT_TRUE(endpoint->lost());
  EXPECT_EQ(device.lost_peers(), 1U);
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::retry);
  EXPECT_NE(endpoint->loss().find("on victim cannot be reached any more"), std::string::npos) << endpoint->loss();
}

}  // namespace
}  // namespace bowline::ucx
