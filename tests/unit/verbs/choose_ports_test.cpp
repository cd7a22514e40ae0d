// SPDX-License-Identifier: BSD-3-Clause
// verbs: which port a process uses, and what it publishes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "verbs/verbs_address.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {
namespace {

Port port(const std::string& device, unsigned distance, std::uint64_t rate, const std::string& unusable = {}) {
  Port made;
  made.device = device;
  made.distance = distance;
  made.rate = rate;
  made.unusable = unusable;
  return made;
}

TEST(Ports, TheNearestActiveOneIsChosenOfThoseTheFastest) {
  std::vector<Port> ports{port("far", 20, 400'000), port("down", 10, 400'000, "it is down"), port("slow", 10, 10'000),
                          port("fast", 10, 100'000)};
  choose_ports(ports, "");
  EXPECT_EQ(ports[0].device, "fast");
  EXPECT_TRUE(ports[0].chosen);
  EXPECT_EQ(ports[0].verdict, "chosen: the nearest active port");
  for (std::size_t i = 1; i < ports.size(); ++i) EXPECT_FALSE(ports[i].chosen);
  EXPECT_EQ(ports[1].verdict, "not used: fast, port 1 is as near or nearer");
  EXPECT_EQ(ports[3].verdict, "not used: it is down");
}

TEST(Ports, TheUserNamesThemInOrder) {
  std::vector<Port> ports{port("a", 10, 1), port("b", 10, 1), port("c", 10, 1, "it is down")};
  ports.push_back(port("b", 10, 1));
  ports.back().number = 2;
  choose_ports(ports, "c,b:2,a");
  EXPECT_EQ(to_text(ports[0]), "b, port 2");
  EXPECT_EQ(to_text(ports[1]), "a, port 1");
  EXPECT_TRUE(ports[0].chosen && ports[1].chosen);
  EXPECT_FALSE(ports[2].chosen || ports[3].chosen);
}

TEST(Ports, ANameThatIsNotThereIsRefusedWithThoseThatAre) {
  std::vector<Port> ports{port("a", 10, 1)};
  try {
    choose_ports(ports, "b");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("BOWLINE_VERBS_DEVICE names b"), std::string::npos) << text;
    EXPECT_NE(text.find("a:1"), std::string::npos) << text;
  }
}

TEST(Ports, NobodyIsChosenWhereNoneIsActive) {
  std::vector<Port> ports{port("a", 10, 1, "it is down")};
  choose_ports(ports, "");
  EXPECT_FALSE(ports[0].chosen);
  ports.clear();
  choose_ports(ports, "");
  EXPECT_TRUE(ports.empty());
}

TEST(Ports, BothEndsMustBeOnTheSameFabric) {
  PortAddress infiniband{.fabric = Fabric::infiniband}, other_subnet{.fabric = Fabric::infiniband};
  other_subnet.gid[7] = 1;
  PortAddress same_subnet{.fabric = Fabric::infiniband};
  same_subnet.gid[15] = 1;
  const PortAddress v1{.fabric = Fabric::roce_v1};
  PortAddress v2{.fabric = Fabric::roce_v2}, elsewhere{.fabric = Fabric::roce_v2};
  elsewhere.gid[12] = 10;  // RoCE v2 is routed
  EXPECT_TRUE(connect_directly(infiniband, same_subnet));
  EXPECT_FALSE(connect_directly(infiniband, other_subnet));
  EXPECT_FALSE(connect_directly(infiniband, v2));
  EXPECT_FALSE(connect_directly(v1, v2));
  EXPECT_TRUE(connect_directly(v2, elsewhere));
}

DeviceAddress some_address() {
  DeviceAddress address{.version = 0, .host = "there", .cookie = 42, .ports = {{}, {}}, .places = {{}, {}, {}}};
  address.ports[1].lid = 7;
  address.places[0] = {.tcp_port = 80, .version_6 = true, .loopback = false, .bytes = {1, 2}};
  address.places[2].loopback = true;
  return address;
}

TEST(Addresses, WhatIsPublishedIsRead) {
  const DeviceAddress address = some_address();
  const DeviceAddress read = read_address(3, write_address(address));
  EXPECT_EQ(read.host, "there");
  EXPECT_EQ(read.cookie, 42U);
  EXPECT_EQ(read.ports, address.ports);
  EXPECT_EQ(read.places, address.places);
}

TEST(Addresses, LoopbackIsForProcessesOfTheSameHost) {
  const DeviceAddress address = some_address();
  EXPECT_EQ(places_to_try(address, "here").size(), 2U);
  const auto near = places_to_try(address, "there");
  ASSERT_EQ(near.size(), 3U);
  EXPECT_TRUE(near[0].loopback);
}

}  // namespace
}  // namespace bowline::verbs
