// SPDX-License-Identifier: BSD-3-Clause
// The reduction, for every team size, root and several counts.
#include "coll/algorithms/reduce/reduce.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>

#include "model.hpp"
#include "predefined_handles.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

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
          const Reduction sum = predefined(mpi_sum, mpi_int64);
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
    const Reduction sum = predefined(mpi_sum, mpi_int64);
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

}  // namespace
}  // namespace bowline::coll
