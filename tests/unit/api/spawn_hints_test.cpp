// SPDX-License-Identifier: BSD-3-Clause
// api/processes/spawn_hints: what info keys ask for.
#include "api/processes/spawn_hints.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace bowline::api {
namespace {

using Numbers = std::vector<int>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

SpawnRequest request(std::initializer_list<std::pair<const char*, const char*>> hints, int processes = 8) {
  Info info;
  for (const auto& [key, value] : hints) info.set(key, value);
  return SpawnRequest::make("program", {"one", "two words"}, processes, info);
}

ErrorClass error_of(std::initializer_list<std::pair<const char*, const char*>> hints) {
  try {
    request(hints);
  } catch (const Error& error) {
    return error.error_class();
  }
  return ErrorClass::success;
}

TEST(SoftNumbers, AreThoseOfTheStandardsExample) {
  EXPECT_EQ(soft_numbers("2,4,8,16", 100), (Numbers{2, 4, 8, 16}));
  EXPECT_EQ(soft_numbers("0:10000:2", 7), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(soft_numbers("1:4,2:3", 100), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(soft_numbers("8:2:-3", 100), (Numbers{2, 5, 8}));
  EXPECT_EQ(soft_numbers("2147483647", 5), Numbers{});
  EXPECT_EQ(soft_numbers("1:2147483647:2147483647", 5), Numbers{1});
}

TEST(SoftNumbers, OtherTextsAreRefused) {
  for (const char* const text : {"many", "1:", "1:2:0", "1:2:3:4", "1;2", "99999999999"})
    EXPECT_THROW(soft_numbers(text, 10), Error) << text;
}

TEST(SpawnRequest, AsksForTheMostProcessesFirst) {
  SpawnRequest asked = request({{"soft", "1:4"}}, 3);
  EXPECT_EQ(asked.program.processes, 3);
  EXPECT_TRUE(asked.ask_for_fewer());
  EXPECT_EQ(asked.program.processes, 2);
  EXPECT_TRUE(asked.ask_for_fewer());
  EXPECT_FALSE(asked.ask_for_fewer());
  EXPECT_EQ(asked.program.processes, 1);
  EXPECT_EQ(error_of({{"soft", "9"}}), ErrorClass::info_value);
  SpawnRequest all = request({});
  EXPECT_EQ(all.program.processes, 8);
  EXPECT_FALSE(all.ask_for_fewer());
}

TEST(SpawnRequest, HasWhatTheKeysSay) {
  const SpawnRequest asked = request({{"wdir", "/there"},
                                      {"path", "/a:/b"},
                                      {"host", "n1"},
                                      {"map_by", "core"},
                                      {"npernode", "2"},
                                      {"env", "A=1\n\nB=x=y\nPMIX_RANK=3\nOMPI_COMM_WORLD_RANK=1\nNOTHING"},
                                      {"mpi_initial_errhandler", "mpi_errors_return"},
                                      {"bowline_outlive", "true"},
                                      {"arch", "any"},
                                      {"unknown", "ignored"}});
  EXPECT_EQ(asked.program.directory, "/there");
  EXPECT_EQ(asked.program.path, "/a:/b");
  EXPECT_EQ(asked.program.placement, (Pairs{{"host", "n1"}, {"map-by", "core"}, {"map-by", "ppr:2:node"}}));
  EXPECT_EQ(asked.program.environment,
            (Pairs{{"A", "1"}, {"B", "x=y"}, {"BOWLINE_INITIAL_ERRHANDLER", "mpi_errors_return"}}));
  EXPECT_TRUE(asked.program.outlives);
  EXPECT_EQ(asked.program.arguments, (std::vector<std::string>{"one", "two words"}));
}

TEST(SpawnRequest, ReadsFurtherKeysFromAFile) {
  const std::string name = testing::TempDir() + "hints-" + std::to_string(getpid());
  std::ofstream(name) << "# where\n wdir = /there \nhost=n2\n\n";
  const SpawnRequest asked = request({{"file", name.c_str()}, {"host", "n1"}});
  EXPECT_EQ(asked.program.directory, "/there");
  EXPECT_EQ(asked.program.placement, (Pairs{{"host", "n1"}}));
  std::ofstream(name) << "no key\n";
  EXPECT_EQ(error_of({{"file", name.c_str()}}), ErrorClass::info_value);
  std::filesystem::remove(name);
  EXPECT_EQ(error_of({{"file", name.c_str()}}), ErrorClass::info_value);
}

}  // namespace
}  // namespace bowline::api
