// SPDX-License-Identifier: BSD-3-Clause
// What the self-test reads of its parts, runs, and tells the simulator.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "launcher/selftest/part_output.hpp"
#include "launcher/selftest/rank_starter.hpp"
#include "launcher/selftest/simulated_times.hpp"
#include "launcher/selftest/timed_command.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

TEST(SelftestParts, LinesOfAPartAreReadAndThoseOfLibrariesAreNot) {
  const PartOutput output = parse_part_output(
      "time alone 8 0.25\ntime alone 16 0.5\ntime again 8 1\nrate row 1048576 2000\n[warn] time is short\ntime "
      "broken\nused single_copy_messages 12\n"
      "link adapter mlx5_0:1 25000\nbusy 1.5\nwrong bcast byte 3 of 8 is wrong\nwrong later something else\nerror file "
      "writing fails\n");
  EXPECT_EQ(output.time("alone", 8), 0.25);
  EXPECT_EQ(output.time("alone", 32), std::nullopt);
  EXPECT_EQ(output.rate("row", 1 << 20), 2000);
  EXPECT_EQ(output.times.size(), 3u);
  EXPECT_EQ(output.timed, (std::vector<std::string>{"alone", "again"}));
  EXPECT_EQ(output.used.at("single_copy_messages"), 12);
  ASSERT_EQ(output.links.size(), 1u);
  EXPECT_EQ(output.links[0].name, "mlx5_0:1");
  EXPECT_EQ(output.busy, 1.5);
  EXPECT_EQ(output.wrong, "bcast: byte 3 of 8 is wrong");
  EXPECT_EQ(output.error, "file: writing fails");
}

TEST(SelftestParts, TheBestRateIsThatOfOneMessageOrOfARow) {
  PartOutput output;
  EXPECT_EQ(output.best_rate(1000), std::nullopt);
  output.times[{"alone", 1000}] = 0.5;
  output.rates[{"row", 1000}] = 1000;
  EXPECT_EQ(output.best_rate(1000), 2000);
  output.rates[{"row", 1000}] = 3000;
  EXPECT_EQ(output.best_rate(1000), 3000);
}

TEST(SelftestParts, ACommandThatDoesNotEndIsEndedAndWhatItSaidIsKept) {
  const CommandEnd end =
      run_command({"/bin/sh", "-c", "echo $GREETING; echo bad >&2; sleep 100"}, {{"GREETING", "hi"}}, 0.3);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.output, "hi\n");
  EXPECT_EQ(end.errors, "bad\n");
  EXPECT_NE(end.status, 0);
}

TEST(SelftestParts, ACommandThatIsNotThere) {
  const CommandEnd end = run_command({"/no/such/program"}, {}, 10);
  EXPECT_EQ(end.status, 127);
  EXPECT_NE(end.errors.find("/no/such/program cannot be started: No such file"), std::string::npos);
}

TEST(SelftestParts, TheSimulatorIsToldWhatWasMeasuredAlone) {
  PartOutput node, link;
  node.times = {{{"alone", 8}, 0.4}, {{"alone", 1 << 20}, 1048.576}};
  node.rates = {{{"row", 1 << 20}, 500}};
  link.times = {{{"alone", 8}, 8}};
  const auto machine = nlohmann::json::parse(
      machine_description({.nodes = 2, .ranks_per_node = 2, .cores_per_node = 4, .on_node = &node, .between = &link}));
  EXPECT_EQ(machine["cores_per_node"], 4);
  EXPECT_EQ(machine["cache"]["latency"], 200);
  EXPECT_EQ(machine["node"]["send"], 100);
  EXPECT_EQ(machine["node"]["copy_in"], 1);
  EXPECT_EQ(machine["switch"]["latency"], 4000);
  EXPECT_EQ(nlohmann::json::parse(machine_description({.on_node = &node})).count("switch"), 0u);
}

TEST(SelftestParts, WithoutAnAllocationThereAreNoNodes) {
  unsetenv("PMIX_RANK");
  unsetenv("SLURM_JOB_ID");
  try {
    RankStarter starter(3);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("salloc -N 3 bowline-info --selftest --nodes 3"), std::string::npos);
  }
}

TEST(SelftestParts, ARankOfAJobStartsNone) {
  setenv("PMIX_RANK", "0", 1);
  EXPECT_THROW(RankStarter(0), UsageError);
  unsetenv("PMIX_RANK");
}

}  // namespace
}  // namespace bowline::launcher
