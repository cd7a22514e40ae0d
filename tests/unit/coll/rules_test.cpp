// SPDX-License-Identifier: BSD-3-Clause
// coll/rules: what users may write, what it means, and the sentences for what they may not.
#include "coll/selection/rules.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "base/error.hpp"

namespace bowline::coll {
namespace {

Rules parsed(const std::string& text) {
  Rules rules;
  parse_rules(text, "here", rules);
  return rules;
}

Rule only(const std::string& text, Operation operation) {
  const Rules rules = parsed(text);
  EXPECT_EQ(rules.of(operation).size(), 1U) << text;
  return rules.of(operation).front();
}

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::arg);
    return error.what();
  }
  ADD_FAILURE() << "\"" << text << "\" was taken";
  return "";
}

void expect_refused(const std::string& text, const std::string& because) {
  const std::string said = refusal(text);
  EXPECT_EQ(said.find("here: in the rule \""), 0U) << said;
  EXPECT_NE(said.find(because), std::string::npos) << said;
}

TEST(Rules, ARuleNamesOperationAndAlgorithm) {
  const Rule rule = only("barrier=central", Operation::barrier);
  EXPECT_EQ(rule.algorithm, find_algorithm(Operation::barrier, "central"));
  EXPECT_EQ(rule.segment, 0U);
  EXPECT_TRUE(rule.when.fits({.ranks = 1, .bytes = 0}));
  EXPECT_TRUE(
      rule.when.fits({.ranks = 1'000'000, .bytes = std::size_t{1} << 50, .ordered = true, .oversubscribed = true}));
}

TEST(Rules, LimitsAreInclusive) {
  const Rule rule = only("allreduce bytes>=1K bytes<=4K ranks>=3 ranks<=5 = reduce_bcast", Operation::allreduce);
  for (const int ranks : {2, 3, 5, 6}) {
    for (const std::size_t bytes : {1023U, 1024U, 4096U, 4097U}) {
      EXPECT_EQ(rule.when.fits({.ranks = ranks, .bytes = bytes}),
                ranks >= 3 && ranks <= 5 && bytes >= 1024 && bytes <= 4096);
    }
  }
}

TEST(Rules, ATotalIsThatOfAllRanks) {
  const Rule rule = only("allgather total<=1K = bruck", Operation::allgather);
  EXPECT_TRUE(rule.when.fits({.ranks = 4, .bytes = 256}));
  EXPECT_FALSE(rule.when.fits({.ranks = 4, .bytes = 257}));
  EXPECT_FALSE(rule.when.fits({.ranks = 1 << 20, .bytes = std::size_t{1} << 60}));
}

TEST(Rules, AComparisonWithoutAWordIsAboutBytes) {
  EXPECT_EQ(to_text(only("bcast<=4K=binomial", Operation::bcast)), "bcast bytes<=4K = binomial");
}

TEST(Rules, FlagsAskForOneSideOrTheOther) {
  const auto fits = [](const std::string& flag, const Situation& call) {
    return only("bcast " + flag + " = binomial", Operation::bcast).when.fits(call);
  };
  EXPECT_TRUE(fits("oversubscribed", {.ranks = 2, .bytes = 0, .oversubscribed = true}));
  EXPECT_FALSE(fits("oversubscribed", {.ranks = 2, .bytes = 0}));
  EXPECT_FALSE(fits("not-oversubscribed", {.ranks = 2, .bytes = 0, .oversubscribed = true}));
  EXPECT_TRUE(fits("one-node", {.ranks = 2, .bytes = 0, .one_node = true}));
  EXPECT_FALSE(fits("several-nodes", {.ranks = 2, .bytes = 0, .one_node = true}));
  EXPECT_TRUE(fits("several-nodes", {.ranks = 2, .bytes = 0}));
  EXPECT_TRUE(fits("shared-memory", {.ranks = 2, .bytes = 0, .shared = true}));
  EXPECT_FALSE(fits("no-shared-memory", {.ranks = 2, .bytes = 0, .shared = true}));
  EXPECT_TRUE(fits("ordered", {.ranks = 2, .bytes = 0, .ordered = true}));
  EXPECT_FALSE(fits("any-order", {.ranks = 2, .bytes = 0, .ordered = true}));
}

TEST(Rules, ThereMayBeSeveralAndBlanks) {
  const Rules rules = parsed("  barrier = central ,, bcast=binomial,\tbarrier oversubscribed=dissemination , ");
  ASSERT_EQ(rules.of(Operation::barrier).size(), 2U);
  EXPECT_EQ(rules.of(Operation::barrier)[0].algorithm->name, "central");
  EXPECT_EQ(rules.of(Operation::bcast).size(), 1U);
  EXPECT_TRUE(parsed("").of(Operation::barrier).empty());
}

TEST(Rules, TheTextIsReadAsTheRuleItself) {
  for (const char* text : {"barrier = central", "bcast bytes>=3 bytes<=5M total<=7K ranks>=2 ranks<=9 = binomial",
                           "bcast = chain:64K", "allreduce oversubscribed one-node ordered = reduce_bcast",
                           "allreduce not-oversubscribed several-nodes any-order = recursive_doubling"}) {
    const Rules rules = parsed(text);
    for (int operation = 0; operation < operations; ++operation) {
      for (const Rule& rule : rules.of(static_cast<Operation>(operation))) EXPECT_EQ(to_text(rule), text);
    }
  }
}

TEST(Rules, WhatIsWrongIsSaidWithWhatIsAllowed) {
  expect_refused("brodcast=binomial", "\"brodcast\" is no operation; there are barrier, bcast, gather");
  expect_refused("bcast=linear", "\"linear\" is no algorithm for bcast; there are binomial");
  expect_refused("bcast=", "\"\" is no algorithm");
  expect_refused("bcast", "an algorithm is missing");
  expect_refused("bcast bytes<=4K", "an algorithm is missing");
  expect_refused("bcast bytes<4K=binomial", "\"bytes\" needs <= or >= and a number");
  expect_refused("bcast size<=4K=binomial", "\"size\" is no condition; allowed are bytes<=N");
  expect_refused("bcast bytes<=4KB=binomial", "\"4KB\" is no whole number");
  expect_refused("bcast bytes<=-1=binomial", "\"-1\" is no whole number from 0");
  expect_refused("bcast ranks<=0=binomial", "\"0\" is no whole number from 1");
  expect_refused("bcast total>=4K=binomial", "\"total\" needs <=");
  expect_refused("bcast=chain:0", "\"0\" is no whole number from 1");
  expect_refused("barrier=central:4K", "\"central\" moves its data in one piece");
  expect_refused("barrier=central central", "\"central\" is too much");
  expect_refused("barrier=central, bcast=binomal", "\"binomal\"");
}

class RulesFile : public testing::Test {
 protected:
  RulesFile() {
    std::ofstream(path) << "# of this machine\n\nbarrier = central  # always\nbcast=binomial,reduce=binomial\n";
  }
  ~RulesFile() override { std::remove(path.c_str()); }
  const std::string path = testing::TempDir() + "bowline_rules_test_" + std::to_string(getpid());
};

TEST_F(RulesFile, HoldsLinesOfRulesAndComments) {
  Rules rules;
  read_rules(path, rules);
  EXPECT_EQ(rules.of(Operation::barrier).size(), 1U);
  EXPECT_EQ(rules.of(Operation::bcast).size(), 1U);
  EXPECT_EQ(rules.of(Operation::reduce).size(), 1U);
}

TEST_F(RulesFile, AnErrorNamesFileAndLine) {
  std::ofstream(path, std::ios::app) << "bcast = nonsense\n";
  Rules rules;
  try {
    read_rules(path, rules);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path + ":5: in the rule"), std::string::npos) << error.what();
  }
}

TEST_F(RulesFile, OneThatCannotBeReadIsAnError) {
  Rules rules;
  try {
    read_rules(path + "_not_there", rules);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace bowline::coll
