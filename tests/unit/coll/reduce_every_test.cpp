// SPDX-License-Identifier: BSD-3-Clause
// Every reduction to a root in all cases: in the order of ranks where the algorithm promises it, with the input left as
// it is, and in segments where it is a pipeline.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "coll/algorithms/reduce/reduce.hpp"
#include "reference.hpp"
#include "registered.hpp"
#include "support/untouched.hpp"

namespace bowline::coll {
namespace {

using test::untouched;

void reduces(const Case& now, const ReferenceOperator& by) {
  SCOPED_TRACE(by.name);
  std::vector<Bytes> own;
  for (int member = 0; member < now.size; ++member) own.push_back(by.operand(member, now.count));
  const auto root = static_cast<std::size_t>(now.root);
  Bytes result = now.in_place ? own[root] : Bytes(own[root].size(), untouched);
  std::vector<Arguments> arguments;
  for (const Bytes& mine : own) {
    arguments.push_back({.root = now.root, .input = mine, .reduction = &by.reduction});
    arguments.back().segment = now.segment_elements * by.reduction.element();
  }
  arguments[root].result = result;
  if (now.in_place) arguments[root].input = result;
  run_case(now, arguments);
  ASSERT_EQ(result, by.combined(0, now.size, now.count));
  for (int member = 0; member < now.size; ++member) {
    ASSERT_EQ(own[static_cast<std::size_t>(member)], by.operand(member, now.count)) << "the input of " << member;
  }
}

class ReduceTo : public testing::TestWithParam<Algorithm> {
 protected:
  ReferenceOperators operators;
};
class ReduceToOverEngines : public ReduceTo {};

TEST_P(ReduceTo, CombinesEverybodysOperandsInTheirOrder) {
  for (const ReferenceOperator* by : operators.serving(GetParam())) {
    for_all_cases(GetParam(), {.counts = counts_for(GetParam(), 150)}, [&](const Case& now) { reduces(now, *by); });
  }
}

TEST_P(ReduceToOverEngines, Runs) {
  const ReferenceOperator& by = *operators.serving(GetParam()).back();
  for_all_cases(GetParam(), cases_over_engines(true), [&](const Case& now) { reduces(now, by); });
}

INSTANTIATE_TEST_SUITE_P(Every, ReduceTo, testing::ValuesIn(algorithms(Operation::reduce)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, ReduceToOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::reduce)),
                         algorithm_name);

/// Runs an algorithm with matrices and nothing to compare with, so that only its own calls of the function are seen.
struct Counted {
  Calls calls;
  std::vector<int> sends;
  Model::Combinations combinations;
};
Counted counted(Run reduce, int size, int root, std::size_t count, std::size_t segment) {
  ReferenceOperators operators;
  const ReferenceOperator& by = operators.matrix();
  const Bytes own = by.operand(1, count);
  Bytes result(own.size());
  const Arguments arguments{.root = root,
                            .input = own,
                            .result = result,
                            .reduction = &by.reduction,
                            .segment = segment * by.reduction.element()};
  Model model(size, 1);
  model.run([&](Channel& channel) { return reduce(channel, arguments); });
  return {operators.calls(), model.sends(), model.combinations()};
}

TEST(ReduceMessages, PipelinesCombineAndSendSegments) {
  for (const auto reduce : {reduce_chain, reduce_binary_tree}) {
    for (const int size : team_sizes()) {
      const Counted seen = counted(reduce, size, size / 2, 100, 8);
      EXPECT_EQ(seen.calls.times, static_cast<std::size_t>(size - 1) * 13) << "100 elements in segments of 8";
      EXPECT_EQ(seen.calls.longest, size > 1 ? 8U : 0U) << "the function is called for a segment at a time";
      for (int member = 0; member < size; ++member) {
        EXPECT_EQ(seen.sends[static_cast<std::size_t>(member)], member == size / 2 ? 0 : 13);
      }
    }
  }
}

TEST(ReduceMessages, PipelinesCombineWhileOtherSegmentsAreOnTheirWay) {
  for (const auto reduce : {reduce_chain, reduce_binary_tree}) {
    for (const int size : {2, 3, 5, 8, 17}) {
      // All but the last segment: while one is combined, the receive of the next one is under way.
      const Counted seen = counted(reduce, size, 0, 100, 8);
      EXPECT_EQ(seen.combinations.all, (size - 1) * 13);
      EXPECT_GT(seen.combinations.overlapped * 3, seen.combinations.all * 2) << size;
    }
  }
}

TEST(ReduceMessages, RabenseifnerHalvesTheVector) {
  for (const int size : {2, 4, 8, 16, 32}) {
    const Counted seen = counted(reduce_rabenseifner, size, 1, 96, 0);
    EXPECT_EQ(seen.calls.longest, 48U);
    // Each member combines n - 1 parts of n in all; the parts are halved in each of log2 n rounds.
    const int rounds = std::countr_zero(static_cast<unsigned>(size));
    EXPECT_EQ(seen.calls.times, static_cast<std::size_t>(size * rounds));
    EXPECT_EQ(std::accumulate(seen.sends.begin(), seen.sends.end(), 0), size * rounds + size - 1);
    EXPECT_EQ(seen.sends[1], rounds) << "the root sends nothing in the gather";
  }
}

TEST(ReduceMessages, KnomialSendsOnceFromEverybodyButTheRoot) {
  for (const int size : team_sizes()) {
    const Counted seen = counted(reduce_knomial, size, 0, 3, 0);
    for (int member = 0; member < size; ++member) {
      EXPECT_EQ(seen.sends[static_cast<std::size_t>(member)], member == 0 ? 0 : 1);
    }
  }
}

}  // namespace
}  // namespace bowline::coll
