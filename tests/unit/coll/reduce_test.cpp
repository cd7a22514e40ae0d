// SPDX-License-Identifier: BSD-3-Clause
// The reductions, for every team size, root and several counts: exact results, the same bits everywhere, holes left
// alone.
#include "coll/algorithms/reduce.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>

#include "coll/algorithms/allreduce.hpp"
#include "dtype/predefined.hpp"
#include "model.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

constexpr std::uintptr_t mpi_sum = 0x21, mpi_max = 0x23, mpi_maxloc = 0x39;
constexpr std::uintptr_t mpi_int64 = 0x258, mpi_double = 0x214, mpi_double_int = 0x229;

struct DoubleInt {
  double value;
  int index;
};

Reduction reduction(std::uintptr_t op, std::uintptr_t type) {
  return {*dtype::predefined_op(op), *dtype::predefined_datatype(type)};
}

/// Runs one algorithm with a vector per member, in place, and returns what each holds afterwards.
template <class T>
std::vector<std::vector<T>> run(std::uint32_t seed, std::vector<std::vector<T>> data, Run algorithm,
                                const Reduction& reduction, int root = 0) {
  std::vector<Arguments> arguments;
  for (auto& mine : data) {
    const auto bytes = std::as_writable_bytes(std::span(mine));
    arguments.push_back({.root = root, .input = bytes, .result = bytes, .reduction = &reduction});
  }
  Model model(static_cast<int>(data.size()), seed);
  model.run([&](Channel& channel) { return algorithm(channel, arguments[static_cast<std::size_t>(channel.rank())]); });
  return data;
}

std::vector<std::vector<std::int64_t>> integers(int size, std::size_t count) {
  std::vector<std::vector<std::int64_t>> data(static_cast<std::size_t>(size), std::vector<std::int64_t>(count));
  for (std::size_t member = 0; member < data.size(); ++member) {
    for (std::size_t i = 0; i < count; ++i) {
      // One decimal digit per member would not fit 32 of them; powers of two do, and show who is missing or counted
      // twice.
      data[member][i] = (std::int64_t{1} << member) + static_cast<std::int64_t>(i << 40);
    }
  }
  return data;
}

std::vector<std::int64_t> sum_of(const std::vector<std::vector<std::int64_t>>& data) {
  std::vector<std::int64_t> sum(data[0].size());
  for (const auto& mine : data) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += mine[i];
  }
  return sum;
}

TEST(Reduce, BinomialGivesTheRootEverybodysSumOnce) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      for (int root = 0; root < size; ++root) {
        for (const std::size_t count : {0, 1, 2, 7, 300}) {
          SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members, root " +
                       std::to_string(root));
          const auto data = integers(size, count);
          const Reduction sum = reduction(mpi_sum, mpi_int64);
          const auto result = run(seed, data, reduce_binomial, sum, root);
          ASSERT_EQ(result[static_cast<std::size_t>(root)], sum_of(data));
        }
      }
    }
  }
}

TEST(Reduce, BinomialSendsOnceFromEverybodyButTheRoot) {
  for (const int size : team_sizes()) {
    const std::vector<std::int64_t> data(3);
    std::vector<std::int64_t> sums(3);
    const Reduction sum = reduction(mpi_sum, mpi_int64);
    const Arguments arguments{.root = size - 1,
                              .input = std::as_bytes(std::span(data)),
                              .result = std::as_writable_bytes(std::span(sums)),
                              .reduction = &sum};
    Model model(size, 1);
    model.run([&](Channel& channel) { return reduce_binomial(channel, arguments); });
    for (int member = 0; member < size; ++member) {
      EXPECT_EQ(model.sends()[static_cast<std::size_t>(member)], member == size - 1 ? 0 : 1);
    }
  }
}

class Allreduce : public testing::TestWithParam<Run> {};

TEST_P(Allreduce, GivesEverybodyTheSum) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      for (const std::size_t count : {0, 1, 2, 7, 300}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members, " +
                     std::to_string(count));
        const auto data = integers(size, count);
        const Reduction sum = reduction(mpi_sum, mpi_int64);
        const auto result = run(seed, data, GetParam(), sum);
        const auto expected = sum_of(data);
        for (const auto& mine : result) ASSERT_EQ(mine, expected);
      }
    }
  }
}

TEST_P(Allreduce, GivesEverybodyTheSameBitsInEveryOrderOfEvents) {
  // Sums of these depend on the order of the additions; the algorithm fixes it, whoever is fast or slow.
  for (const int size : team_sizes()) {
    std::vector<std::vector<double>> data(static_cast<std::size_t>(size), std::vector<double>(50));
    std::mt19937 random(static_cast<std::uint32_t>(size));
    for (auto& mine : data) {
      for (double& value : mine)
        value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 60) - 30);
    }
    const Reduction sum = reduction(mpi_sum, mpi_double);
    std::vector<double> first;
    for (const std::uint32_t seed : test::seeds()) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members");
      const auto result = run(seed, data, GetParam(), sum);
      if (first.empty()) first = result[0];
      for (const auto& mine : result) ASSERT_EQ(std::memcmp(mine.data(), first.data(), 50 * sizeof(double)), 0);
    }
  }
}

TEST_P(Allreduce, CombinesPairsWithHoles) {
  for (const int size : team_sizes()) {
    std::vector<std::vector<DoubleInt>> data(static_cast<std::size_t>(size), std::vector<DoubleInt>(20));
    for (int member = 0; member < size; ++member) {
      for (int i = 0; i < 20; ++i) {
        // Member i % size has the largest value, and so has the one behind it: the smaller index wins.
        const bool largest = member == i % size || member == (i + 1) % size;
        data[static_cast<std::size_t>(member)][static_cast<std::size_t>(i)] = {largest ? 9.5 : member * 0.1, member};
      }
    }
    const Reduction maxloc = reduction(mpi_maxloc, mpi_double_int);
    const auto result = run(1, data, GetParam(), maxloc);
    for (const auto& mine : result) {
      for (int i = 0; i < 20; ++i) {
        ASSERT_EQ(mine[static_cast<std::size_t>(i)].value, 9.5);
        ASSERT_EQ(mine[static_cast<std::size_t>(i)].index, std::min(i % size, (i + 1) % size)) << size << " members";
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<Run>& info) {
  return info.param == allreduce_recursive_doubling ? "RecursiveDoubling" : "ReduceBcast";
}
INSTANTIATE_TEST_SUITE_P(Algorithms, Allreduce, testing::Values(allreduce_recursive_doubling, allreduce_reduce_bcast),
                         name_of);

TEST(Allreduce, RecursiveDoublingTakesTheLogarithmOfRoundsAndTwoMoreForTheRest) {
  for (const int size : team_sizes()) {
    std::int64_t value = 1;
    const auto bytes = std::as_writable_bytes(std::span(&value, 1));
    const Reduction max = reduction(mpi_max, mpi_int64);
    const Arguments arguments{.input = bytes, .result = bytes, .reduction = &max};
    Model model(size, 1);
    model.run([&](Channel& channel) { return allreduce_recursive_doubling(channel, arguments); });
    const unsigned pairs = std::bit_floor(static_cast<unsigned>(size));
    const int folded = size - static_cast<int>(pairs);
    const int rounds = std::countr_zero(pairs);
    EXPECT_EQ(std::accumulate(model.sends().begin(), model.sends().end(), 0),
              static_cast<int>(pairs) * rounds + 2 * folded);
  }
}

}  // namespace
}  // namespace bowline::coll
