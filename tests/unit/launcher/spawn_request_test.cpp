// SPDX-License-Identifier: BSD-3-Clause
// A request for a job becomes what the same options of mpiexec would, with what the asking job passes on.
#include "launcher/spawn/spawn_request.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "launcher/job_check.hpp"

namespace bowline::launcher {
namespace {

using SpawnKind = SpawnError::Kind;
using Words = std::vector<std::string>;
// PMIx's names of the keys.
constexpr const char* host_key = "pmix.host";
constexpr const char* add_host_key = "pmix.addhost";
constexpr const char* hostfile_key = "pmix.hostfile";
constexpr const char* map_by_key = "pmix.mapby";
constexpr const char* rank_by_key = "pmix.rankby";
constexpr const char* bind_to_key = "pmix.bindto";
constexpr const char* ppr_key = "pmix.ppr";
using Variable = std::pair<std::string, std::string>;

/// The job of `mpiexec WORDS`.
Job asking_job(const Words& words) {
  return check_job(parse_options(words).options);
}

Job spawned(const SpawnRequest& request, const Words& asking = {"true"}, int app = 0) {
  const Job job = asking_job(asking);
  return job_for(request, {.job = job, .app = app, .universe = 11}, 3);
}

SpawnRequest one(SpawnApp app) {
  SpawnRequest request;
  request.apps.push_back(std::move(app));
  return request;
}

SpawnRequest with_key(const char* key, const std::string& value, int ranks = 1) {
  return one({.program = "true", .ranks = ranks, .keys = {{key, value}}});
}

TEST(SpawnRequest, ProgramsAndRanks) {
  SpawnRequest request = one({.program = "sh", .arguments = {"-c", ""}, .ranks = 2});
  request.apps.push_back({.program = "true", .ranks = 3});
  const Job job = spawned(request);
  ASSERT_EQ(job.options.apps.size(), 2U);
  EXPECT_EQ(job.options.apps[0].command, (Words{"sh", "-c", ""}));
  EXPECT_EQ(job.options.apps[1].ranks, 3);
  EXPECT_EQ(job.options.universe, 11);
  EXPECT_EQ(job.options.stdin_rank, Options::stdin_none);
  EXPECT_TRUE(job.programs[1].ends_with("/true"));
}

TEST(SpawnRequest, TheEnvironmentOfTheAskingProgramIsInherited) {
  const Words asking = {"-x", "OF_OTHER=1", "true", ":", "-x", "A=1", "-x", "B=2", "--envnone", "true"};
  const Job job =
      spawned(one({.program = "true", .environment = {"B=3", "PMIX_RANK=7", "BOWLINE_JOB_FOLDER=x"}}), asking, 1);
  const auto& variables = job.options.apps[0].environment;
  const auto count = [&](const Variable& variable) { return std::ranges::count(variables, variable); };
  EXPECT_EQ(count({"OF_OTHER", "1"}), 0);
  EXPECT_EQ(count({"A", "1"}), 1);
  EXPECT_LT(std::ranges::find(variables, Variable{"B", "2"}), std::ranges::find(variables, Variable{"B", "3"}));
  for (const auto& [name, value] : variables) EXPECT_TRUE(name != "PMIX_RANK" && name != "BOWLINE_JOB_FOLDER") << name;
  EXPECT_FALSE(*job.options.apps[0].inherit);
}

TEST(SpawnRequest, WhatIsChosenForTheProgramOfTheAskingJobIsNotInherited) {
  Job asking = asking_job({"-x", "A=1", "true"});
  asking.options.apps[0].environment.emplace_back("LD_LIBRARY_PATH", "of its ABI");
  asking.options.apps[0].library_variables = 1;
  const Job job = job_for(one({.program = "true"}), {.job = asking, .app = 0, .universe = 1}, 1);
  const auto& variables = job.options.apps[0].environment;
  EXPECT_EQ(std::ranges::count(variables, Variable{"A", "1"}), 1);
  EXPECT_EQ(std::ranges::count(variables, Variable{"LD_LIBRARY_PATH", "of its ABI"}), 0);
}

TEST(SpawnRequest, OutputIsThatOfAnotherJob) {
  const std::string folder = testing::TempDir() + "spawn-request-" + std::to_string(getpid());
  const Job tagged = spawned(one({.program = "true"}), {"--prepend-pattern", "%r of %h, %r ", "true"});
  EXPECT_EQ(tagged.options.tag, "3:%r of %h, 3:%r ");
  const Job kept = spawned(one({.program = "true"}), {"--output-dir", folder, "true"});
  EXPECT_EQ(kept.options.files.out, folder + "/job.3.rank.%r.out");
  std::filesystem::remove_all(folder);
}

TEST(SpawnRequest, PlacementIsInheritedOnlyWhereNotGiven) {
  const Words asking = {"--bind-to", "numa", "--map-by", "socket:span", "--rank-by", "core", "true"};
  const Placement given = spawned(with_key(map_by_key, "core"), asking).options.placement;
  EXPECT_EQ(given.map_by, Place::core);
  EXPECT_FALSE(given.blocks);
  EXPECT_EQ(given.bind_to, Place::numa);
  EXPECT_EQ(given.rank_by, Place::core);
  EXPECT_TRUE(given.beside_others);
  const Placement inherited = spawned(with_key(bind_to_key, "none"), asking).options.placement;
  EXPECT_EQ(inherited.bind_to, Place::none);
  EXPECT_EQ(inherited.map_by, Place::socket);
  EXPECT_TRUE(inherited.blocks);
}

TEST(SpawnRequest, CoresOfTheAskingJobAreNotInherited) {
  for (const Words& asking : {Words{"--bind-to", "core", "true"}, Words{"--bind-to", "user:0", "true"}})
    EXPECT_EQ(spawned(one({.program = "true"}), asking).options.placement.bind_to, Place::automatic);
  EXPECT_EQ(spawned(one({.program = "true"}), {"--map-by", "ppr:1:node", "true"}).options.ranks_per_node, std::nullopt);
}

TEST(SpawnRequest, PprIsAMapping) {
  EXPECT_EQ(spawned(with_key(ppr_key, "2:core")).options.placement.per_object, 2);
}

TEST(SpawnRequest, HostsOfThisMachine) {
  EXPECT_EQ(spawned(with_key(host_key, "localhost:2," + host_name(), 3)).options.hosts.size(), 2U);
  EXPECT_EQ(spawned(with_key(host_key, "localhost", 5)).options.ranks(), 5);  // names no number of slots
  EXPECT_EQ(spawned(with_key(add_host_key, "localhost:*", 5)).options.ranks(), 5);
  EXPECT_EQ(spawned(with_key(host_key, "::1", 5)).options.ranks(), 5);
}

/// What the request fails with, or "none".
struct Complaint {
  explicit Complaint(const SpawnRequest& request) {
    try {
      spawned(request);
    } catch (const SpawnError& error) {
      kind = error.kind;
      app = error.app;
      sentence = error.what();
    }
  }
  SpawnKind kind = SpawnKind::cannot_start;
  int app = -2;
  std::string sentence = "none";
};

TEST(SpawnRequest, Complaints) {
  const struct {
    SpawnRequest request;
    SpawnKind kind;
    int app;
    const char* begin;
  } cases[] = {
      {{}, SpawnKind::no_program, -1, "no program is named"},
      {one({.program = "no-such-program"}), SpawnKind::no_program, 0, "no-such-program: no such program"},
      {one({.program = ""}), SpawnKind::no_program, 0, "the name of the program is empty"},
      {one({.program = "true", .ranks = -1}), SpawnKind::cannot_start, 0, "maxprocs -1: "},
      {one({.program = "true", .environment = {"=x"}}), SpawnKind::cannot_start, 0, "env =x: "},
      {one({.program = "true", .wdir = "/no-such"}), SpawnKind::cannot_start, 0, "wdir /no-such: is not a directory"},
      {with_key(host_key, "elsewhere"), SpawnKind::no_place, 0, "host elsewhere: is another host"},
      {with_key(host_key, "localhost:2", 3), SpawnKind::no_place, 0, "host: 3 processes"},
      {with_key(hostfile_key, "/no-such"), SpawnKind::no_place, 0, "hostfile /no-such: cannot be read"},
      {with_key(map_by_key, "moon"), SpawnKind::no_place, 0, "map_by moon: must be one of"},
      {with_key(rank_by_key, "moon"), SpawnKind::no_place, 0, "rank_by moon: must be one of"},
      {with_key(bind_to_key, "moon"), SpawnKind::no_place, 0, "bind_to moon: must be one of"},
      {with_key(ppr_key, "1:moon"), SpawnKind::no_place, 0, "map_by ppr moon: must be one of"},
  };
  for (const auto& [request, kind, app, begin] : cases) {
    const Complaint complaint(request);
    EXPECT_TRUE(complaint.sentence.starts_with(begin)) << complaint.sentence;
    EXPECT_EQ(complaint.kind, kind) << begin;
    EXPECT_EQ(complaint.app, app) << begin;
  }
}

TEST(SpawnRequest, TheProgramAtFaultIsNamed) {
  SpawnRequest request = one({.program = "true"});
  request.apps.push_back({.program = "no-such-program"});
  EXPECT_EQ(Complaint(request).app, 1);
  request.apps[1] = {.program = "true", .keys = {{map_by_key, "moon"}}};
  EXPECT_EQ(Complaint(request).app, -1);  // one job has one placement
}

}  // namespace
}  // namespace bowline::launcher
