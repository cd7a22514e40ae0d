// SPDX-License-Identifier: BSD-3-Clause
// Allreduce: each registered algorithm gives every member the result, the same bits everywhere and always; operands
// keep their order where the algorithm says so; pipelines call the operator with a segment at a time.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>

#include "predefined_handles.hpp"
#include "reference.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

struct DoubleInt {
  double value;
  int index;
};

/// Runs the case with a vector of each member, and returns what each holds afterwards. Fails if an input has changed
/// that is not the result's memory.
template <class Vector>
std::vector<Vector> run(Model& model, const Case& now, const std::vector<Vector>& data, const Reduction& reduction) {
  std::vector<Vector> inputs = data;
  std::vector<Vector> results(data.size(), Vector(data[0].size()));
  std::vector<Arguments> arguments;
  for (std::size_t member = 0; member < data.size(); ++member) {
    const auto input = std::as_writable_bytes(std::span(inputs[member]));
    const auto result = now.in_place ? input : std::as_writable_bytes(std::span(results[member]));
    arguments.push_back({.input = input,
                         .result = result,
                         .reduction = &reduction,
                         .segment = now.segment_elements * reduction.element()});
  }
  model.run([&](Channel& channel) {
    return now.algorithm.run(channel, arguments[static_cast<std::size_t>(channel.rank())]);
  });
  if (now.in_place) return inputs;
  for (std::size_t member = 0; member < data.size() && !data[0].empty(); ++member) {
    EXPECT_EQ(std::memcmp(inputs[member].data(), data[member].data(), std::as_bytes(std::span(data[member])).size()), 0)
        << "the input of member " << member << " has changed";
  }
  return results;
}

std::vector<Bytes> operands(const ReferenceOperator& by, int size, std::size_t count) {
  std::vector<Bytes> data;
  for (int member = 0; member < size; ++member) data.push_back(by.operand(member, count));
  return data;
}

class Allreduce : public testing::TestWithParam<const Algorithm*> {
 protected:
  ReferenceOperators operators;
};

TEST_P(Allreduce, CombinesEverybodysOperands) {
  for (const ReferenceOperator* by : operators.serving(*GetParam())) {
    SCOPED_TRACE(by->name);
    const auto check = [&](const Case& now) {
      Model model(now.size, now.seed, now.algorithm.shared);
      const auto results = run(model, now, operands(*by, now.size, now.count), by->reduction);
      const Bytes expected = by->combined(0, now.size, now.count);
      for (const Bytes& mine : results) ASSERT_EQ(mine, expected);
    };
    for_all_cases(*GetParam(), {.counts = {0, 1, 2, 7, 40}, .segments = {0, 1, 3, 100}, .rooted = false}, check);
  }
}

TEST_P(Allreduce, GivesEverybodyTheSameBitsInEveryOrderOfEvents) {
  // Sums of these depend on the order of the additions; the algorithm fixes it, whoever is fast or slow.
  for (const int size : team_sizes()) {
    if (GetParam()->power_of_two && !std::has_single_bit(static_cast<unsigned>(size))) continue;
    std::vector<std::vector<double>> data(static_cast<std::size_t>(size), std::vector<double>(50));
    std::mt19937 random(static_cast<std::uint32_t>(size));
    for (auto& mine : data) {
      for (double& value : mine)
        value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 60) - 30);
    }
    const Reduction sum = predefined(mpi_sum, mpi_double);
    for (const std::size_t segment : {0, 1, 7}) {
      std::vector<double> first;
      for (const std::uint32_t seed : test::seeds()) {
        const Case now{*GetParam(), seed, size, 0, 50, segment, seed % 2 == 0};
        SCOPED_TRACE(now.describe());
        Model model(size, seed, now.algorithm.shared);
        const auto results = run(model, now, data, sum);
        if (first.empty()) first = results[0];
        for (const auto& mine : results) ASSERT_EQ(std::memcmp(mine.data(), first.data(), 50 * sizeof(double)), 0);
      }
    }
  }
}

TEST_P(Allreduce, CombinesPairsWithHoles) {
  const Reduction maxloc = predefined(mpi_maxloc, mpi_double_int);
  for_all_cases(*GetParam(), {.counts = {20}, .segments = {3}, .rooted = false}, [&](const Case& now) {
    std::vector<std::vector<DoubleInt>> data(static_cast<std::size_t>(now.size), std::vector<DoubleInt>(now.count));
    for (int member = 0; member < now.size; ++member) {
      for (int i = 0; i < static_cast<int>(now.count); ++i) {
        // Member i % size has the largest value, and so has the one behind it: the smaller index wins.
        const bool largest = member == i % now.size || member == (i + 1) % now.size;
        DoubleInt& pair = data[static_cast<std::size_t>(member)][static_cast<std::size_t>(i)];
        pair.value = largest ? 9.5 : member * 0.1;
        pair.index = member;
      }
    }
    Model model(now.size, now.seed, now.algorithm.shared);
    for (const auto& mine : run(model, now, data, maxloc)) {
      for (int i = 0; i < static_cast<int>(now.count); ++i) {
        ASSERT_EQ(mine[static_cast<std::size_t>(i)].value, 9.5);
        ASSERT_EQ(mine[static_cast<std::size_t>(i)].index, std::min(i % now.size, (i + 1) % now.size));
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Registered, Allreduce, testing::ValuesIn(all_of(Operation::allreduce)), name_of_algorithm);

TEST(AllreducePipelines, CombineASegmentWhileOthersAreUnderWay) {
  for (const std::string_view name : {"segmented_ring", "pipelined_tree"}) {
    for (const std::uint32_t seed : test::seeds()) {
      for (const int size : {2, 3, 7, 16}) {
        ReferenceOperators operators;
        const ReferenceOperator& by = operators.matrix();
        const std::size_t count = 20 * static_cast<std::size_t>(size);
        const Case now{*find_algorithm(Operation::allreduce, name), seed, size, 0, count, 2, true};
        SCOPED_TRACE(now.describe());
        const auto data = operands(by, size, count);
        Model model(size, seed);
        run(model, now, data, by.reduction);
        EXPECT_EQ(operators.calls().longest, 2U) << "elements in a call of the operator";
        // All combinations but the last of a member find the next segment on its way, unless it is early.
        EXPECT_GT(model.combinations().overlapped * 2, model.combinations().all);
      }
    }
  }
}

/// How many transfers all members together begin for one allreduce of 64 elements.
int transfers(std::string_view name, int size, std::size_t segment = 0) {
  const ReferenceOperators operators;
  const Case now{*find_algorithm(Operation::allreduce, name), 1, size, 0, 64, segment, false};
  Model model(size, 1);
  run(model, now, operands(operators.sum(), size, 64), operators.sum().reduction);
  return std::accumulate(model.sends().begin(), model.sends().end(), 0);
}

TEST(AllreduceTransfers, AreAsManyAsPromised) {
  for (const int size : team_sizes()) {
    SCOPED_TRACE(std::to_string(size) + " members");
    const int positions = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
    const int rounds = std::countr_zero(static_cast<unsigned>(positions));
    const int folded = 2 * (size - positions);  // to the neighbour and back
    EXPECT_EQ(transfers("recursive_doubling", size), positions * rounds + folded);
    EXPECT_EQ(transfers("rabenseifner", size), positions * 2 * rounds + folded);
    EXPECT_EQ(transfers("reduce_bcast", size), 2 * (size - 1));
    EXPECT_EQ(transfers("ring", size), size * 2 * (size - 1));
    EXPECT_EQ(transfers("segmented_ring", size, 1), size * 2 * (size - 1) * ((64 + size - 1) / size));
    EXPECT_EQ(transfers("pipelined_tree", size, 4), 2 * (size - 1) * 16);
  }
}

}  // namespace
}  // namespace bowline::coll
