// SPDX-License-Identifier: BSD-3-Clause
// Which devices are virtual bridges, and whether UCX has taken one although there is another network.
#include "ucx/bridges.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace bowline::ucx {
namespace {

namespace fs = std::filesystem;

/// A folder such as /sys/class/net.
class Bridges : public ::testing::Test {
 protected:
  Bridges() {
    std::string name = fs::temp_directory_path() / "bowline-net-XXXXXX";
    directory = mkdtemp(name.data());
  }
  ~Bridges() override { fs::remove_all(directory); }

  void add(const std::string& name, const std::string& state, bool bridge = false) const {
    fs::create_directories(directory / name / (bridge ? "bridge" : "queues"));
    std::ofstream(directory / name / "operstate") << state << '\n';
  }

  fs::path directory;
};

TEST_F(Bridges, AreToldFromDevicesThatAreUp) {
  add("lo", "unknown");
  add("docker0", "up", true);
  add("eth0", "up");
  add("eth1", "down");
  add("ib0", "unknown");
  const NetworkDevices found = network_devices(directory);
  EXPECT_EQ(found.bridges, std::vector<std::string>{"docker0"});
  EXPECT_EQ(found.others, (std::vector<std::string>{"eth0", "ib0"}));
}

TEST_F(Bridges, AreNotThereWhereNothingIsListed) {
  const NetworkDevices found = network_devices(directory / "missing");
  EXPECT_TRUE(found.bridges.empty());
  EXPECT_TRUE(found.others.empty());
}

TEST(BridgeInUse, IsTheOneThatALaneNames) {
  const NetworkDevices devices{{"docker0", "virbr0"}, {"eth0"}};
  EXPECT_EQ(bridge_in_use(devices, "lane[0]:  0:tcp/virbr0.0 md[0] -> am"), "virbr0");
  EXPECT_EQ(bridge_in_use(devices, "lane[0]:  0:tcp/docker0 md[0] -> am"), "docker0");
  EXPECT_EQ(bridge_in_use(devices, "lane[0]:  0:tcp/eth0.0 md[0] -> am"), std::nullopt);
  EXPECT_EQ(bridge_in_use(devices, "lane[0]:  0:tcp/docker01.0 md[0] -> am"), std::nullopt);
  EXPECT_EQ(bridge_in_use(devices, ""), std::nullopt);
}

TEST(BridgeInUse, IsNoMatterWhereThereIsNothingElse) {
  EXPECT_EQ(bridge_in_use({{"docker0"}, {}}, "0:tcp/docker0.0"), std::nullopt);
}

}  // namespace
}  // namespace bowline::ucx
