// SPDX-License-Identifier: BSD-3-Clause
// coll/selection: the first rule that fits and can be served counts, whoever's it is, and the defaults serve
// everything.
#include "coll/selection/selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/tunable.hpp"
#include "coll/selection/default_rules.hpp"

namespace bowline::coll {
namespace {

TunableBase& tunable(std::string_view name) {
  for (TunableBase* const each : TunableBase::all()) {
    if (each->name() == name) return *each;
  }
  std::abort();
}

/// A value of a tunable, and what follows from it, for the life of the object.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : tunable_(tunable(name)), before_(tunable_.value_text()) {
    tunable_.set(value);
    load_rules();
  }
  ~Setting() {
    tunable_.set(before_);
    load_rules();
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  TunableBase& tunable_;
  std::string before_;
};

std::vector<Situation> many_situations() {
  std::vector<Situation> calls;
  for (const int ranks : {1, 2, 3, 4, 7, 8, 16, 33, 64, 128, 256, 512, 1024, 1'000'000}) {
    for (std::size_t bytes = 0; bytes <= std::size_t{1} << 32; bytes = bytes == 0 ? 1 : bytes * 2) {
      for (unsigned bits = 0; bits < 32; ++bits) {
        calls.push_back({.ranks = ranks,
                         .bytes = bytes,
                         .ordered = (bits & 1) != 0,
                         .oversubscribed = (bits & 2) != 0,
                         .one_node = (bits & 4) != 0,
                         .shared = (bits & 8) != 0,
                         .layered = (bits & 16) != 0});
      }
    }
  }
  return calls;
}

std::vector<Operation> all_operations() {
  std::vector<Operation> all;
  for (int i = 0; i < operations; ++i) {
    if (!algorithms(static_cast<Operation>(i)).empty()) all.push_back(static_cast<Operation>(i));
  }
  return all;
}

TEST(DefaultRules, NameAlgorithmsThatThereAre) {
  for (const DefaultRule& rule : default_rules()) {
    const Algorithm* const algorithm = find_algorithm(rule.operation, rule.algorithm);
    ASSERT_NE(algorithm, nullptr) << name_of(rule.operation) << ": " << rule.algorithm;
    EXPECT_TRUE(rule.segment == 0 || algorithm->segmented) << name_of(rule.operation) << ": " << rule.algorithm;
  }
}

TEST(DefaultRules, TheFirstAlgorithmServesEverything) {
  for (const Operation operation : all_operations()) {
    const Algorithm& first = algorithms(operation).front();
    for (const Situation& call : many_situations()) ASSERT_TRUE(serves(first, call)) << name_of(operation);
    EXPECT_FALSE(first.by_placement) << name_of(operation);
  }
}

TEST(DefaultRules, EveryCallGetsAnAlgorithmThatServesIt) {
  for (const Operation operation : all_operations()) {
    for (const Situation& call : many_situations()) {
      for (const Situation& asked : {call, without_placement(operation, call)}) {
        const Choice choice = choose(operation, asked);
        ASSERT_NE(choice.algorithm, nullptr);
        ASSERT_TRUE(serves(*choice.algorithm, asked)) << name_of(operation) << ": " << choice.algorithm->name;
        ASSERT_EQ(choice.refused, nullptr);
      }
    }
  }
}

TEST(DefaultRules, NoneIsHiddenBehindThoseBeforeIt) {
  for (const DefaultRule& rule : default_rules()) {
    bool used = false;
    for (const Situation& call : many_situations()) {
      const Choice choice = choose(rule.operation, call);
      used |= rule.when.fits(call) && choice.algorithm->name == rule.algorithm && choice.segment == rule.segment;
    }
    EXPECT_TRUE(used) << name_of(rule.operation) << ": " << rule.algorithm << " is never chosen by its rule";
  }
}

TEST(Reproducible, TheChoiceDoesNotDependOnPlacement) {
  for (const Operation operation : all_operations()) {
    if (!reduces(operation)) continue;
    for (Situation call : many_situations()) {
      const Choice one = choose(operation, without_placement(operation, call));
      EXPECT_FALSE(one.algorithm->by_placement || one.algorithm->shared);
      call.oversubscribed = !call.oversubscribed;
      const Choice other = choose(operation, without_placement(operation, call));
      call.one_node = !call.one_node;
      call.shared = !call.shared;
      call.layered = !call.layered;
      const Choice third = choose(operation, without_placement(operation, call));
      ASSERT_TRUE(one.algorithm == other.algorithm && one.algorithm == third.algorithm);
      ASSERT_TRUE(one.segment == other.segment && one.segment == third.segment);
    }
  }
}

TEST(Reproducible, WhatMovesDataOnlyMayDependOnPlacement) {
  const Situation crowd{.ranks = 8, .bytes = 0, .oversubscribed = true, .one_node = true};
  EXPECT_TRUE(without_placement(Operation::barrier, crowd).oversubscribed);
  EXPECT_FALSE(without_placement(Operation::allreduce, crowd).oversubscribed);
  EXPECT_FALSE(without_placement(Operation::scan, crowd).one_node);
}

TEST(Constraints, AreThoseOfTheAlgorithm) {
  const Situation call{.ranks = 6, .bytes = 8, .one_node = true, .shared = true};
  Algorithm algorithm{.name = "made_up", .run = nullptr};
  EXPECT_TRUE(serves(algorithm, call));
  algorithm.power_of_two = true;
  EXPECT_FALSE(serves(algorithm, call));
  EXPECT_TRUE(serves(algorithm, {.ranks = 8, .bytes = 8}));
  algorithm = {.name = "made_up", .run = nullptr, .ordered = false};
  EXPECT_TRUE(serves(algorithm, call));
  EXPECT_FALSE(serves(algorithm, {.ranks = 6, .bytes = 8, .ordered = true}));
  algorithm = {.name = "made_up", .run = nullptr, .shared = true};
  EXPECT_TRUE(serves(algorithm, call));
  EXPECT_FALSE(serves(algorithm, {.ranks = 6, .bytes = 8}));
  EXPECT_FALSE(serves(algorithm, without_placement(Operation::reduce, call)));
  algorithm = {.name = "made_up", .run = nullptr, .by_placement = true};
  EXPECT_TRUE(serves(algorithm, call));
  EXPECT_FALSE(serves(algorithm, without_placement(Operation::reduce, call)));
  EXPECT_TRUE(serves(algorithm, without_placement(Operation::bcast, call)));
}

TEST(Overrides, ATunableGoesBeforeTheDefaults) {
  const Situation call{.ranks = 4, .bytes = 100};
  ASSERT_EQ(choose(Operation::allreduce, call).algorithm->name, "recursive_doubling");
  const Setting setting("collectives", "allreduce ranks>=4 = reduce_bcast");
  EXPECT_EQ(choose(Operation::allreduce, call).algorithm->name, "reduce_bcast");
  EXPECT_EQ(choose(Operation::allreduce, {.ranks = 3, .bytes = 100}).algorithm->name, "recursive_doubling");
}

TEST(Overrides, ThoseOfACommunicatorGoBeforeTheTunables) {
  const Setting setting("collectives", "barrier = central, allreduce = reduce_bcast");
  Rules own;
  parse_rules("barrier = dissemination", "own", own);
  EXPECT_EQ(choose(Operation::barrier, {.ranks = 4, .bytes = 0}, &own).algorithm->name, "dissemination");
  EXPECT_EQ(choose(Operation::allreduce, {.ranks = 4, .bytes = 0}, &own).algorithm->name, "reduce_bcast");
}

// Made-up algorithms stand for those that cannot serve everything.
TEST(Overrides, OneThatCannotServeIsReportedAndTheNextServes) {
  const Algorithm unordered{.name = "unordered", .run = nullptr, .ordered = false};
  const Algorithm pairs{.name = "pairs", .run = nullptr, .power_of_two = true};
  Rules own;
  own.add({Operation::allreduce, {}, &unordered});
  own.add({Operation::allreduce, {}, &pairs, 4096});
  const Choice first = choose(Operation::allreduce, {.ranks = 6, .bytes = 8}, &own);
  EXPECT_EQ(first.algorithm, &unordered);
  EXPECT_EQ(first.refused, nullptr);
  const Choice second = choose(Operation::allreduce, {.ranks = 8, .bytes = 8, .ordered = true}, &own);
  EXPECT_EQ(second.algorithm, &pairs);
  EXPECT_EQ(second.segment, 4096U);
  EXPECT_EQ(second.refused, &own.of(Operation::allreduce)[0]);
  const Choice third = choose(Operation::allreduce, {.ranks = 6, .bytes = 8, .ordered = true}, &own);
  EXPECT_TRUE(serves(*third.algorithm, {.ranks = 6, .bytes = 8, .ordered = true}));
  EXPECT_EQ(third.refused, &own.of(Operation::allreduce)[0]);
}

TEST(Overrides, AWarningComesOnceAndSaysWhy) {
  const Algorithm unordered{.name = "unordered", .run = nullptr, .ordered = false};
  const Rule rule{Operation::allreduce, {.most_ranks = 9}, &unordered};
  testing::internal::CaptureStderr();
  warn_refused(rule, {.ranks = 6, .bytes = 8, .ordered = true});
  warn_refused(rule, {.ranks = 7, .bytes = 8, .ordered = true});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("\"allreduce ranks<=9 = unordered\" cannot serve a call with 6 ranks and 8 bytes: the operator"),
            std::string::npos)
      << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 1);
}

TEST(Overrides, ABadOneIsAnErrorThatNamesTheVariable) {
  TunableBase& rules = tunable("collectives");
  rules.set("bcast = nonsense");
  try {
    load_rules();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("BOWLINE_COLLECTIVES: in the rule"), 0U) << error.what();
  }
  rules.set("");
}

std::vector<std::string> names_of(const Candidates& candidates) {
  std::vector<std::string> names;
  for (const Algorithm* const each : candidates.list()) names.emplace_back(each->name);
  return names;
}

std::vector<std::string> compared(Operation operation, const Situation& call, const Rules* own = nullptr) {
  return names_of(candidates(operation, call, choose(operation, call, own)));
}

constexpr Situation long_call{.ranks = 3, .bytes = 100'000, .one_node = true, .shared = true};

TEST(Comparison, ConcernsLongDataInSharedMemory) {
  EXPECT_EQ(compared(Operation::bcast, long_call), (std::vector<std::string>{"slots", "single_copy"}));
  EXPECT_EQ(compared(Operation::allreduce, long_call), (std::vector<std::string>{"shares", "slots", "single_copy"}));
  EXPECT_EQ(compared(Operation::bcast, {.ranks = 3, .bytes = 4096, .one_node = true, .shared = true}).size(), 0U);
  EXPECT_EQ(compared(Operation::bcast, {.ranks = 3, .bytes = 100'000, .one_node = true}).size(), 0U);
  EXPECT_EQ(compared(Operation::allreduce, without_placement(Operation::allreduce, long_call)).size(), 0U);
}

TEST(Comparison, DoesNotTouchWhatAUserHasChosen) {
  {
    const Setting setting("collectives", "bcast bytes>=64K = slots");
    EXPECT_EQ(compared(Operation::bcast, long_call).size(), 0U);
    EXPECT_EQ(compared(Operation::gather, long_call).size(), 2U);
  }
  Rules own;
  parse_rules("gather = slots", "own", own);
  EXPECT_EQ(compared(Operation::gather, long_call, &own).size(), 0U);
  const Setting setting("coll_compare", "0");
  EXPECT_EQ(compared(Operation::bcast, long_call).size(), 0U);
}

TEST(Comparison, HasAtMostAsManyCandidatesAsATrialTakes) {
  for (const Operation operation : all_operations()) {
    const auto many = std::ranges::count_if(algorithms(operation), &Algorithm::compared);
    EXPECT_LE(static_cast<std::size_t>(many), Trial::most_candidates) << name_of(operation);
    for (const Algorithm& each : algorithms(operation))
      EXPECT_FALSE(each.compared && each.segmented) << name_of(operation) << ": " << each.name;
  }
}

std::vector<std::string> compared_between_nodes(Operation operation, const Situation& call) {
  std::vector<std::string> names;
  const Ways found = ways(operation, call, choose(operation, call));
  for (std::size_t i = 0; i < found.count; ++i)
    names.push_back(std::string(found.list[i].algorithm->name) + ":" + std::to_string(found.list[i].segment));
  return names;
}

TEST(Comparison, BetweenNodesConcernsLongDataThatAreNotCombined) {
  constexpr Situation call{.ranks = 4, .bytes = 100'000};
  EXPECT_EQ(compared_between_nodes(Operation::allgather, call),
            (std::vector<std::string>{"recursive_doubling:0", "ring:0", "linear:0", "neighbor_exchange:0"}));
  EXPECT_EQ(compared_between_nodes(Operation::allgather, {.ranks = 4, .bytes = 4096}).size(), 0U);
  EXPECT_EQ(compared_between_nodes(Operation::allreduce, call).size(), 0U);
  EXPECT_EQ(compared_between_nodes(Operation::allgather, {.ranks = 4, .bytes = 100'000, .one_node = true}).size(), 0U);
  // recursive_doubling needs a number of ranks that is a power of two.
  EXPECT_EQ(compared_between_nodes(Operation::allgather, {.ranks = 5, .bytes = 100'000}),
            (std::vector<std::string>{"ring:0", "linear:0", "neighbor_exchange:0"}));
  {
    const Setting setting("collectives", "allgather = bruck");
    EXPECT_EQ(compared_between_nodes(Operation::allgather, call).size(), 0U);
  }
  const Setting setting("coll_compare", "0");
  EXPECT_EQ(compared_between_nodes(Operation::allgather, call).size(), 0U);
}

TEST(Situations, TellWhatAllMembersKnow) {
  EXPECT_TRUE(reduces(Operation::reduce) && reduces(Operation::exscan) && reduces(Operation::reduce_scatter));
  EXPECT_FALSE(reduces(Operation::alltoallv) || reduces(Operation::neighbor_allgather) || reduces(Operation::barrier));
}

TEST(UsefulSlot, IsAsLongAsTheDataHaveUseFor) {
  std::vector<std::byte> data(1000);
  const Arguments vector{.input = data, .result = data};
  EXPECT_EQ(useful_slot(Operation::barrier, {}, 4), 0U);
  EXPECT_EQ(useful_slot(Operation::allreduce, vector, 4), 2000U);
  EXPECT_EQ(useful_slot(Operation::bcast, {.result = data}, 4), 2000U);
  EXPECT_EQ(useful_slot(Operation::alltoall, {.send = Blocks(data.data(), 100)}, 4), 400U);
  for (const Operation unknown : {Operation::gatherv, Operation::scatterv, Operation::allgatherv, Operation::alltoallv})
    EXPECT_EQ(useful_slot(unknown, {}, 4), std::numeric_limits<std::size_t>::max());
}

}  // namespace
}  // namespace bowline::coll
