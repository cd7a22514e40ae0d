// SPDX-License-Identifier: BSD-3-Clause
// verbs: which port a process uses, and what it publishes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
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
  choose_ports(ports, "", 2);
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
  choose_ports(ports, "c,b:2,a", 2);
  EXPECT_EQ(to_text(ports[0]), "b, port 2");
  EXPECT_EQ(to_text(ports[1]), "a, port 1");
  EXPECT_TRUE(ports[0].chosen && ports[1].chosen);
  EXPECT_EQ(ports[0].verdict, "chosen: BOWLINE_VERBS_DEVICE names it");
  EXPECT_EQ(ports[1].verdict, "chosen: for long messages, because BOWLINE_VERBS_DEVICE names it");
  EXPECT_FALSE(ports[2].chosen || ports[3].chosen);
}

TEST(Ports, OthersLikeTheNearestShareLongMessages) {
  std::vector<Port> ports{port("e", 10, 100),
                          port("a", 10, 100),
                          port("slower", 10, 50),
                          port("far", 20, 100),
                          port("c", 10, 100, "it is down"),
                          port("b", 10, 100),
                          port("d", 10, 100)};
  ports[5].address.fabric = Fabric::roce_v2;
  choose_ports(ports, "", 2);
  EXPECT_EQ(ports[0].device, "a");
  EXPECT_EQ(ports[0].verdict, "chosen: the nearest active port");
  EXPECT_EQ(ports[1].device, "d") << "b is on another fabric";
  EXPECT_EQ(ports[1].verdict, "chosen: for long messages, beside a, port 1");
  EXPECT_EQ(std::ranges::count_if(ports, &Port::chosen), 2);
  const auto verdict = [&](const std::string& device) {
    return std::ranges::find(ports, device, &Port::device)->verdict;
  };
  EXPECT_EQ(verdict("e"), "not used: BOWLINE_VERBS_RAILS is 2");
  EXPECT_EQ(verdict("b"), "not used: a, port 1 is as near, and on another fabric");
  EXPECT_EQ(verdict("slower"), "not used: a, port 1 is as near or nearer");
  EXPECT_EQ(verdict("far"), "not used: a, port 1 is as near or nearer");
  EXPECT_EQ(verdict("c"), "not used: it is down");
}

TEST(Ports, TheNumberOfRailsIsTheUsers) {
  for (const std::size_t most : {std::size_t{1}, std::size_t{3}, std::size_t{8}}) {
    std::vector<Port> ports{port("a", 10, 1), port("b", 10, 1), port("c", 10, 1), port("d", 10, 1)};
    choose_ports(ports, "", most);
    for (std::size_t i = 0; i < ports.size(); ++i) EXPECT_EQ(ports[i].chosen, i < most) << most << " " << i;
  }
}

TEST(Ports, AdaptersOfIwarpShareNoMessages) {
  for (const bool first : {true, false}) {
    std::vector<Port> ports{port("a", 10, 1), port("b", 10, 1)};
    ports[first ? 0 : 1].address.fabric = Fabric::iwarp;
    choose_ports(ports, "a,b", 2);
    EXPECT_TRUE(ports[0].chosen);
    EXPECT_FALSE(ports[1].chosen);
    EXPECT_EQ(ports[1].verdict, "not used: adapters of iWARP do not share long messages");
  }
  std::vector<Port> alike{port("a", 10, 1), port("b", 10, 1)};
  for (Port& each : alike) each.address.fabric = Fabric::iwarp;
  choose_ports(alike, "", 2);
  EXPECT_FALSE(alike[1].chosen);
}

TEST(Ports, ANameThatIsNotThereIsRefusedWithThoseThatAre) {
  std::vector<Port> ports{port("a", 10, 1)};
  try {
    choose_ports(ports, "b", 2);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("BOWLINE_VERBS_DEVICE names b"), std::string::npos) << text;
    EXPECT_NE(text.find("a:1"), std::string::npos) << text;
  }
}

TEST(Ports, NobodyIsChosenWhereNoneIsActive) {
  std::vector<Port> ports{port("a", 10, 1, "it is down")};
  choose_ports(ports, "", 2);
  EXPECT_FALSE(ports[0].chosen);
  ports.clear();
  choose_ports(ports, "", 2);
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

TEST(Addresses, WhatStandsBehindAnAddressIsIgnored) {
  transport::Address list = write_address(some_address());
  list.resize(list.size() + 40, std::byte{9});
  EXPECT_EQ(read_address(3, list).places, some_address().places);
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
