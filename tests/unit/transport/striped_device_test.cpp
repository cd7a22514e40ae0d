// SPDX-License-Identifier: BSD-3-Clause
// transport/striping: which rails join two processes, their keys, polling and sleeping.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <cstddef>

#include "striped_process.hpp"

namespace bowline::transport {
namespace {

// ---- connecting

TEST(Striping, ARailServesTransfersOnceItIsConnected) {
  Process process(2);
  process.rail(1).connecting = false;
  process.rail(1).not_yet = 1;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0), Lengths{90'000});
  EXPECT_EQ(process.rail(1).connections, 0);
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0), Lengths{90'000}) << "used before it was connected";
  EXPECT_EQ(process.rail(1).connections, 1) << "not tried again";
  process.rail(1).connecting = true;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0).size(), 1U);
  EXPECT_EQ(process.carried(1).size(), 1U);
  EXPECT_EQ(process.rail(1).connections, 1);
}

TEST(Striping, APeerWithFewerRailsIsReachedOverThose) {
  Process three(3), two(2);
  three.endpoint = three.device->connect(5, two.device->address());
  EXPECT_TRUE(three.gets(90'000));
  EXPECT_EQ(three.carried(1).size(), 1U);
  EXPECT_EQ(three.carried(2), Lengths{});
  // A process with a single rail publishes the address of that, and reads the first one of others.
  const ScriptedRail single(std::byte{'a'});
  EXPECT_TRUE(single.reaches(three.device->address()));
  three.endpoint = three.device->connect(6, single.address());
  const Bytes memory(90'000);
  EXPECT_EQ(three.endpoint->register_memory(memory), single.key());
  three.endpoint->deregister(single.key());
  EXPECT_TRUE(three.gets(90'000));
  EXPECT_EQ(three.carried(1), Lengths{});
}

TEST(Striping, RailsOnDifferentFabricsAreNotPaired) {
  Process process(3);
  process.rail(1).reaching = false;
  process.endpoint = process.device->connect(4, process.device->address());
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(1), Lengths{});
  EXPECT_EQ(process.carried(2).size(), 1U);
}

TEST(Striping, ADamagedAddressOfAFurtherRailIsRefused) {
  Process process(2);
  Address damaged = process.device->address();
  damaged.back() ^= std::byte{1};
  EXPECT_THROW(static_cast<void>(process.device->connect(3, damaged)), Error);
}

// ---- keys

TEST(Striping, ARailThatCannotRegisterIsDoneWithout) {
  Process process(3);
  process.rail(1).registering = false;
  EXPECT_TRUE(process.gets(90'000));
  EXPECT_EQ(process.carried(0), Lengths{45'056});
  EXPECT_EQ(process.carried(1), Lengths{});
  EXPECT_EQ(process.carried(2).size(), 1U);
  process.rail(2).registering = false;
  const Bytes memory(90'000);
  const Bytes key = process.endpoint->register_memory(memory);
  EXPECT_EQ(key, process.rail(0).key());
  process.endpoint->deregister(key);
  process.rail(0).registering = false;
  EXPECT_THROW(static_cast<void>(process.endpoint->register_memory(memory)), Error);
  for (const ScriptedRail* each : process.rails) EXPECT_EQ(each->registered, 0);
}

TEST(Striping, WindowsAndMessagesAreTheFirstRails) {
  Process process(2);
  const Bytes memory(90'000);
  const Bytes key = process.endpoint->register_window(memory);
  EXPECT_EQ(key, process.rail(0).key());
  EXPECT_EQ(process.rail(1).registered, 0);
  process.endpoint->deregister(key);
  EXPECT_EQ(process.rail(0).registered, 0);
  EXPECT_EQ(process.endpoint->send({}, {}, {}), Post::done);
  EXPECT_EQ(process.rail(0).messages, 1);
}

// ---- polling and sleeping

TEST(Striping, FurtherRailsAreLookedAtNowAndThen) {
  Process process(2);
  for (int i = 0; i < 320; ++i) process.poll();
  EXPECT_EQ(process.rail(0).polls, 320U);
  EXPECT_EQ(process.rail(1).polls, 10U);
  process.device->grow_to(7);
  EXPECT_EQ(process.rail(1).processes_known, 7);
}

TEST(Striping, ASleeperHearsOfAFurtherRail) {
  Process process(2);
  EXPECT_FALSE(process.device->ready());
  pollfd descriptor{process.device->descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&descriptor, 1, 0), 0);
  ASSERT_EQ(eventfd_write(process.rail(1).events, 1), 0);
  EXPECT_EQ(poll(&descriptor, 1, 0), 1);
  process.rail(1).has_news = true;
  EXPECT_TRUE(process.device->ready());
  const unsigned before = process.rail(1).polls;
  process.poll();
  EXPECT_EQ(process.rail(1).polls, before + 1) << "the poll after ready() finds what there is";
}

}  // namespace
}  // namespace bowline::transport
