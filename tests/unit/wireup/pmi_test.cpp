// SPDX-License-Identifier: BSD-3-Clause
// wireup/pmi: what ranks and a played server say to each other, and servers that say something else.
#include "wireup/pmi/pmi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "support/played_pmi_server.hpp"

namespace bowline::wireup {
namespace {

using test::PlayedPmiServer;
using test::ServedConnection;
using World = std::vector<std::unique_ptr<Wireup>>;

std::vector<std::byte> bytes(const std::string& text) {
  std::vector<std::byte> data(text.size());
  std::ranges::transform(text, data.begin(), [](char c) { return static_cast<std::byte>(c); });
  return data;
}

World connect_all(const PlayedPmiServer& server, int ranks) {
  std::vector<std::future<std::unique_ptr<Wireup>>> coming;
  for (int rank = 0; rank < ranks; ++rank)
    coming.push_back(std::async(std::launch::async, [&, rank] { return make_pmi(server.client(rank), rank, ranks); }));
  World world;
  for (auto& each : coming) world.push_back(each.get());
  return world;
}

void exchange_all(const World& world) {
  std::vector<std::thread> threads;
  for (const auto& each : world) threads.emplace_back([&] { each->exchange(); });
  for (std::thread& each : threads) each.join();
}

std::string error_of(const std::function<void()>& deed) {
  try {
    deed();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::other);
    return error.what();
  }
  return "nothing was thrown";
}

long count(const std::vector<std::string>& lines, const std::string& begin) {
  return std::ranges::count_if(lines, [&](const std::string& line) { return line.starts_with(begin); });
}

TEST(Pmi, RanksFindWhatOthersHavePublished) {
  PlayedPmiServer server({.ranks = 3});
  const World world = connect_all(server, 3);
  std::string long_text;  // every byte, and more than a value may have
  for (int i = 0; i < 5000; ++i) long_text.push_back(static_cast<char>(i * 7 + i / 256));
  const std::string odd_key = "a key=with \n odd; characters";
  for (int rank = 0; rank < 3; ++rank) {
    world[rank]->publish("card", bytes("card of " + std::to_string(rank)));
    world[rank]->publish(odd_key, bytes(long_text + std::to_string(rank)));
    world[rank]->publish("empty", {});
  }
  exchange_all(world);
  for (const auto& each : world) {
    EXPECT_EQ(each->identity().job, "pmi-store-7");
    EXPECT_EQ(each->application(), 3);
    EXPECT_EQ(each->universe_size(), std::nullopt);
    for (int rank = 0; rank < 3; ++rank) {
      const ProcessId of{each->identity().job, rank};
      EXPECT_EQ(each->lookup(of, "card"), bytes("card of " + std::to_string(rank)));
      EXPECT_EQ(each->lookup(of, odd_key), bytes(long_text + std::to_string(rank)));
      EXPECT_EQ(each->lookup(of, "empty"), bytes(""));
      EXPECT_NE(error_of([&] { each->lookup(of, "none"); }).find("has published no \"none\""), std::string::npos);
    }
  }
  for (const auto& each : world) each->finalize();
  EXPECT_EQ(count(server.heard(), "cmd=finalize"), 3);
}

TEST(Pmi, ARankIsAskedAboutOnceAndOnlyWhenNeeded) {
  PlayedPmiServer server({.ranks = 3});
  const World world = connect_all(server, 3);
  for (const auto& each : world) each->publish("card", bytes("x"));
  exchange_all(world);
  const long before = count(server.heard(), "cmd=get ");
  const ProcessId other{"pmi-store-7", 2};
  EXPECT_FALSE(world[0]->answers(other));
  world[0]->ask(other, "card");
  EXPECT_TRUE(world[0]->answers(other));
  for (int i = 0; i < 5; ++i) world[0]->lookup(other, "card");
  EXPECT_EQ(count(server.heard(), "cmd=get ") - before, 1);
  EXPECT_EQ(count(server.heard(), "cmd=put "), 3);
  EXPECT_EQ(count(server.heard(), "cmd=barrier_in"), 3);
  for (const auto& each : world) each->finalize();
}

TEST(Pmi, NoRequestIsLongerThanSlurmReads) {
  PlayedPmiServer server({.ranks = 1});
  const World world = connect_all(server, 1);
  world[0]->publish("long", bytes(std::string(100000, 'x')));
  exchange_all(world);
  world[0]->finalize();
  std::size_t longest = 0;
  for (const std::string& line : server.heard()) longest = std::max(longest, line.size() + 1);
  EXPECT_LE(longest, 1000);
  EXPECT_GE(longest, 900);  // no shorter than need be either
}

TEST(Pmi, ValuesMayBeShort) {
  PlayedPmiServer server({.ranks = 2, .longest_value = 41});
  const World world = connect_all(server, 2);
  world[1]->publish("card", bytes(std::string(300, 'y')));
  exchange_all(world);
  EXPECT_EQ(world[0]->lookup({"pmi-store-7", 1}, "card"), bytes(std::string(300, 'y')));
  for (const auto& each : world) each->finalize();
}

TEST(Pmi, TheMapTellsTheNodes) {
  struct Case {
    std::string map;
    std::vector<int> nodes;
    std::vector<int> with_first;
  };
  for (const Case& each :
       {Case{"(vector,(0,1,1))", {0, 0, 0, 0}, {0, 1, 2, 3}}, Case{"(vector,(0,2,2))", {0, 0, 1, 1}, {0, 1}},
        Case{"(vector,(0,2,1))", {0, 1, 0, 1}, {0, 2}}, Case{"(vector,(0,1,3),(1,1,8))", {0, 0, 0, 1}, {0, 1, 2}}}) {
    PlayedPmiServer server({.ranks = 4, .map = each.map});
    const World world = connect_all(server, 4);
    for (int rank = 0; rank < 4; ++rank) EXPECT_EQ(world[3]->node_of(rank), each.nodes[rank]) << each.map;
    EXPECT_EQ(world[0]->identity().local_ranks, each.with_first) << each.map;
    EXPECT_EQ(world[0]->identity().nodes, 1 + *std::ranges::max_element(each.nodes)) << each.map;
    for (const auto& rank : world) rank->finalize();
  }
}

TEST(Pmi, WithoutAMapTheRanksTellEachOther) {
  PlayedPmiServer server({.ranks = 3, .map = ""});
  const World world = connect_all(server, 3);
  EXPECT_EQ(world[1]->identity().local_ranks, (std::vector{0, 1, 2}));
  EXPECT_EQ(world[1]->identity().nodes, 1);
  for (const auto& each : world) each->finalize();
}

TEST(Pmi, ProcessesOfOtherJobsAreNotKnown) {
  PlayedPmiServer server({.ranks = 1});
  const World world = connect_all(server, 1);
  EXPECT_NE(error_of([&] {
              world[0]->lookup({"another", 0}, "card");
            }).find("rank 0 of job another cannot be found"),
            std::string::npos);
  world[0]->ask({"another", 0}, "card");
  EXPECT_FALSE(world[0]->answers({"another", 0}));
  world[0]->finalize();
}

TEST(Pmi, WhatIsKnownStaysKnownAfterTheEnd) {
  PlayedPmiServer server({.ranks = 3});
  const World world = connect_all(server, 3);
  for (const auto& each : world) each->publish("card", bytes("x"));
  exchange_all(world);
  world[0]->lookup({"pmi-store-7", 1}, "card");
  for (const auto& each : world) each->finalize();
  world[0]->reconnect();
  EXPECT_EQ(world[0]->lookup({"pmi-store-7", 1}, "card"), bytes("x"));
  EXPECT_NE(error_of([&] {
              world[0]->lookup({"pmi-store-7", 2}, "card");
            }).find("has ended with MPI_Finalize"),
            std::string::npos);
  world[0]->finalize();
}

TEST(PmiDeathTest, AnAbortTellsTheServerAndTheUser) {
  PlayedPmiServer server({.ranks = 1});
  const World world = connect_all(server, 1);
  EXPECT_EXIT(world[0]->abort(7, "the reason", {}), testing::ExitedWithCode(7), "bowline: the reason");
  EXPECT_EQ(count(server.heard(), "cmd=abort exitcode=7"), 1);
}

/// What a rank says when the server answers so to its first requests, and then hangs up.
std::string error_with(const std::vector<std::string>& answers, int rank = 0, int size = 2) {
  ServedConnection connection;
  std::thread server([&] {
    for (const std::string& each : answers) {
      if (connection.hear().empty()) break;
      connection.say(each);
      if (!each.ends_with('\n')) return connection.hang_up();
    }
    if (!connection.hear().empty()) connection.hang_up();
  });
  const std::string error = error_of([&] { make_pmi(connection.client(), rank, size); });
  server.join();
  return error;
}

TEST(Pmi, OddServersAreNamed) {
  const std::string greeting = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
  const std::string limits = "cmd=maxes rc=0 kvsname_max=256 keylen_max=64 vallen_max=1024\n";
  const std::string name = "cmd=my_kvsname rc=0 kvsname=k\n";
  const std::string found = "cmd=get_result rc=0 value=";
  struct Case {
    std::vector<std::string> answers;
    std::string words;
  };
  for (const Case& each : {
           Case{{}, "has closed the connection"},
           Case{{greeting}, "has closed the connection"},
           Case{{"cmd=response_to_init rc=0"}, "ended in the middle of a line over PMI, \"cmd=response_to_init rc=0\""},
           Case{{"cmd=response_to_init rc=-1\n"}, "refuses the request \"init\""},
           Case{{"cmd=response_to_init rc=no\n"}, "must have rc= with a whole number"},
           Case{{"cmd=welcome\n"}, "answers \"cmd=welcome\" to the request \"init\""},
           Case{{"\n"}, "says \"\" over PMI"},
           Case{{"rc=0 cmd=response_to_init\n"}, "must begin with cmd="},
           Case{{"hello\n"}, "says \"hello\" over PMI"},
           Case{{std::string((1 << 20) + 8192, 'x')}, "more than 1048576 bytes"},
           Case{{greeting, "cmd=maxes rc=0\n"}, "must have keylen_max= with a whole number"},
           Case{{greeting, "cmd=maxes rc=0 keylen_max=64 vallen_max=20\n", name},
                "keys of 64 characters and values of 20,"},
           Case{{greeting, "cmd=maxes rc=0 keylen_max=8 vallen_max=1024\n", name}, "takes keys of 8 characters"},
           Case{{greeting, "cmd=maxes rc=0 keylen_max=64 vallen_max=-5\n", name}, "values of -5,"},
           Case{{greeting, limits, "cmd=my_kvsname rc=0\n"}, "PMI store, \"\""},
           Case{{greeting, limits, "cmd=my_kvsname kvsname=" + std::string(1000, 'k') + "\n"}, "a name of up to"},
           Case{{greeting, limits, name, found + "(vector,(0,1)\n"}, "the launcher's map of ranks to nodes is"},
           Case{{greeting, limits, name, found + "(vector,(0,1,1))\n", "cmd=appnum appnum=x\n"}, "must have appnum="},
       }) {
    const std::string error = error_with(each.answers);
    EXPECT_NE(error.find(each.words), std::string::npos) << error;
    EXPECT_EQ(std::ranges::count(error, '\n'), 0) << error;
  }
}

TEST(Pmi, RanksOutsideOfTheJobAreRefused) {
  EXPECT_NE(error_with({}, 2, 2).find("this is rank 2 of 2"), std::string::npos);
  EXPECT_NE(error_with({}, -1, 2).find("this is rank -1 of 2"), std::string::npos);
}

TEST(Pmi, ValuesThatOthersHavePutAreNamed) {
  const std::vector<std::string> start = {"cmd=response_to_init rc=0\n", "cmd=maxes keylen_max=64 vallen_max=1024\n",
                                          "cmd=my_kvsname kvsname=k\n",  "cmd=get_result rc=0 value=(vector,(0,1,1))\n",
                                          "cmd=appnum appnum=0\n",       "cmd=universe_size size=-1\n"};
  for (const std::string value : {"x", "1:***", "1:a", "9999:AAAA", "1:AAAA", ":AAAA", ""}) {
    ServedConnection connection;
    std::thread server([&] {
      for (const std::string& each : start) {
        if (!connection.hear().empty()) connection.say(each);
      }
      connection.hear();
      connection.say("cmd=get_result rc=0 value=" + value + "\n");
      if (!connection.hear().empty()) connection.say("cmd=get_result rc=1\n");
    });
    {
      const auto wireup = make_pmi(connection.client(), 0, 2);
      const std::string error = error_of([&] { wireup->lookup({"pmi-k", 1}, "card"); });
      EXPECT_TRUE(error.find("in another form") != std::string::npos || error.find("too early") != std::string::npos)
          << value << ": " << error;
    }
    server.join();
  }
}

}  // namespace
}  // namespace bowline::wireup
