// SPDX-License-Identifier: BSD-3-Clause
// Allreduce: each registered algorithm gives every member the result, the same bits everywhere and always; operands
// keep their order where the algorithm says so; pipelines call the operator with a segment at a time.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>

#include "operators.hpp"
#include "registered.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

constexpr std::uintptr_t mpi_sum = 0x21, mpi_maxloc = 0x39;
constexpr std::uintptr_t mpi_double = 0x214, mpi_double_int = 0x229;

struct DoubleInt {
  double value;
  int index;
};

Reduction predefined(std::uintptr_t op, std::uintptr_t type) {
  return {*dtype::predefined_op(op), *dtype::predefined_datatype(type)};
}

/// In elements of eight bytes.
std::vector<std::size_t> segments_for(const Algorithm& algorithm) {
  return algorithm.segmented ? std::vector<std::size_t>{0, 1, 3, 1000} : std::vector<std::size_t>{0};
}

/// Runs one algorithm with a vector per member and returns what each holds afterwards. Fails if an input has changed
/// that is not the result's memory.
template <class T>
std::vector<std::vector<T>> run(Model& model, const Algorithm& algorithm, const std::vector<std::vector<T>>& data,
                                const Reduction& reduction, bool in_place, std::size_t segment) {
  std::vector<std::vector<T>> inputs = data;
  std::vector<std::vector<T>> results(data.size(), std::vector<T>(data[0].size()));
  std::vector<Arguments> arguments;
  for (std::size_t member = 0; member < data.size(); ++member) {
    const auto input = std::as_writable_bytes(std::span(inputs[member]));
    const auto result = in_place ? input : std::as_writable_bytes(std::span(results[member]));
    arguments.push_back(
        {.input = input, .result = result, .reduction = &reduction, .segment = segment * reduction.element()});
  }
  run_all(model, algorithm.run, arguments);
  if (in_place) return inputs;
  for (std::size_t member = 0; member < data.size() && !data[0].empty(); ++member) {
    EXPECT_EQ(std::memcmp(inputs[member].data(), data[member].data(), data[0].size() * sizeof(T)), 0)
        << "the input of member " << member << " has changed";
  }
  return results;
}

class Allreduce : public testing::TestWithParam<Algorithm> {};

TEST_P(Allreduce, CombinesWhatEverybodyContributes) {
  for (const bool matrices : {false, true}) {
    if (matrices && !GetParam().ordered) continue;
    const TestOperator op(matrices);
    for (const std::uint32_t seed : test::seeds()) {
      for (const int size : sizes_for(GetParam())) {
        for (const std::size_t count : {0, 1, 2, 7, 60}) {
          const auto data = contributions(size, count);
          const Vector expected = op.combine(data);
          for (const std::size_t segment : segments_for(GetParam())) {
            for (const bool in_place : {false, true}) {
              SCOPED_TRACE(std::to_string(size) + " members, " + std::to_string(count) + " elements, segments of " +
                           std::to_string(segment) + ", " + op.name() + ", seed " + std::to_string(seed));
              Model model(size, seed);
              const auto result = run(model, GetParam(), data, op.reduction(), in_place, segment);
              for (const auto& mine : result) ASSERT_EQ(mine, expected);
              if (HasFailure()) return;
            }
          }
        }
      }
    }
  }
}

TEST_P(Allreduce, GivesEverybodyTheSameBitsInEveryOrderOfEvents) {
  // Sums of these depend on the order of the additions; the algorithm fixes it, whoever is fast or slow.
  for (const int size : sizes_for(GetParam())) {
    std::vector<std::vector<double>> data(static_cast<std::size_t>(size), std::vector<double>(50));
    std::mt19937 random(static_cast<std::uint32_t>(size));
    for (auto& mine : data) {
      for (double& value : mine)
        value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 60) - 30);
    }
    const Reduction sum = predefined(mpi_sum, mpi_double);
    for (const std::size_t segment : segments_for(GetParam())) {
      std::vector<double> first;
      for (const std::uint32_t seed : test::seeds()) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members, segments of " +
                     std::to_string(segment));
        Model model(size, seed);
        const auto result = run(model, GetParam(), data, sum, seed % 2 == 0, segment);
        if (first.empty()) first = result[0];
        for (const auto& mine : result) ASSERT_EQ(std::memcmp(mine.data(), first.data(), 50 * sizeof(double)), 0);
      }
    }
  }
}

TEST_P(Allreduce, CombinesPairsWithHoles) {
  for (const int size : sizes_for(GetParam())) {
    std::vector<std::vector<DoubleInt>> data(static_cast<std::size_t>(size), std::vector<DoubleInt>(20));
    for (int member = 0; member < size; ++member) {
      for (int i = 0; i < 20; ++i) {
        // Member i % size has the largest value, and so has the one behind it: the smaller index wins.
        const bool largest = member == i % size || member == (i + 1) % size;
        data[static_cast<std::size_t>(member)][static_cast<std::size_t>(i)] = {largest ? 9.5 : member * 0.1, member};
      }
    }
    const Reduction maxloc = predefined(mpi_maxloc, mpi_double_int);
    Model model(size, 1);
    const auto result = run(model, GetParam(), data, maxloc, true, 3);
    for (const auto& mine : result) {
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(mine[static_cast<std::size_t>(i)].value, 9.5);
        ASSERT_EQ(mine[static_cast<std::size_t>(i)].index, std::min(i % size, (i + 1) % size)) << size << " members";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, Allreduce, testing::ValuesIn(algorithms(Operation::allreduce)), algorithm_name);

class SegmentedAllreduce : public testing::TestWithParam<Algorithm> {};

TEST_P(SegmentedAllreduce, CombinesASegmentWhileOthersAreUnderWay) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : {2, 3, 7, 16}) {
      SCOPED_TRACE(std::to_string(size) + " members, seed " + std::to_string(seed));
      TestOperator op(false);
      const auto data = contributions(size, 20 * static_cast<std::size_t>(size));
      Model model(size, seed);
      run(model, GetParam(), data, op.reduction(), true, 2);
      EXPECT_EQ(op.longest, 2U) << "elements in a call of the operator";
      // All combinations but the last of a member find the next segment on its way, unless it is early.
      EXPECT_GT(model.combinations().overlapped * 2, model.combinations().all);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, SegmentedAllreduce, testing::ValuesIn(segmented_algorithms(Operation::allreduce)),
                         algorithm_name);

/// How many transfers all members together begin for one allreduce of 64 elements.
int transfers(std::string_view name, int size, std::size_t segment = 0) {
  const TestOperator op(false);
  Model model(size, 1);
  run(model, *find_algorithm(Operation::allreduce, name), contributions(size, 64), op.reduction(), false, segment);
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
