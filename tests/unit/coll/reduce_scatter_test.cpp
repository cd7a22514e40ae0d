// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter in both forms: each registered algorithm gives every member its block of the result, whatever the
// lengths of blocks; operands keep their order where the algorithm says so.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "operators.hpp"
#include "registered.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

/// The blocks of a vector, one after the other, in bytes.
std::vector<Block> table_of(const std::vector<std::size_t>& counts) {
  std::vector<Block> table;
  std::ptrdiff_t end = 0;
  for (const std::size_t count : counts) {
    table.push_back({end, count * sizeof(Element)});
    end += static_cast<std::ptrdiff_t>(count * sizeof(Element));
  }
  return table;
}

/// `counts` elements for each member; in the form whose blocks are alike if they are and `uniform` asks for it.
void check(const Algorithm& algorithm, const std::vector<std::size_t>& counts, bool uniform, bool in_place,
           const TestOperator& op, std::uint32_t seed) {
  const int size = static_cast<int>(counts.size());
  const std::vector<Block> table = table_of(counts);
  const Blocks places = uniform ? Blocks(nullptr, table[0].bytes) : Blocks(nullptr, table.data());
  const std::size_t length = (static_cast<std::size_t>(table.back().offset) + table.back().bytes) / sizeof(Element);
  const std::vector<Vector> contributed = contributions(size, length);
  std::vector<Vector> inputs = contributed;
  std::vector<Vector> results;
  for (const std::size_t count : counts) results.emplace_back(count);
  std::vector<Arguments> arguments;
  for (std::size_t member = 0; member < counts.size(); ++member) {
    const auto input = std::as_writable_bytes(std::span(inputs[member]));
    const auto result =
        in_place ? input.first(table[member].bytes) : std::as_writable_bytes(std::span(results[member]));
    arguments.push_back({.input = input, .result = result, .receive = places, .reduction = &op.reduction()});
  }
  Model model(size, seed);
  run_all(model, algorithm.run, arguments);

  const Vector whole = op.combine(contributed);
  for (std::size_t member = 0; member < counts.size(); ++member) {
    const auto first = whole.begin() + table[member].offset / static_cast<std::ptrdiff_t>(sizeof(Element));
    const Vector expected(first, first + static_cast<std::ptrdiff_t>(counts[member]));
    Vector got = results[member];
    if (in_place)
      got.assign(inputs[member].begin(), inputs[member].begin() + static_cast<std::ptrdiff_t>(counts[member]));
    ASSERT_EQ(got, expected) << "at member " << member;
    if (!in_place) {
      ASSERT_EQ(inputs[member], contributed[member]) << "the input of member " << member;
    }
  }
}

template <class Counts>
void check_all(const Algorithm& algorithm, bool uniform, int forms, Counts counts) {
  for (const bool matrices : {false, true}) {
    if (matrices && !algorithm.ordered) continue;
    const TestOperator op(matrices);
    for (const std::uint32_t seed : test::seeds()) {
      for (const int size : sizes_for(algorithm)) {
        for (int form = 0; form < forms; ++form) {
          SCOPED_TRACE(std::to_string(size) + " members, form " + std::to_string(form) + ", " + op.name() + ", seed " +
                       std::to_string(seed));
          check(algorithm, counts(size, form), uniform, false, op, seed);
          check(algorithm, counts(size, form), uniform, true, op, seed);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

class ReduceScatterBlock : public testing::TestWithParam<Algorithm> {};

TEST_P(ReduceScatterBlock, GivesEverybodyTheirBlock) {
  check_all(GetParam(), true, 4, [](int size, int form) {
    const std::size_t by_form[] = {0, 1, 5, 40};
    return std::vector(static_cast<std::size_t>(size), by_form[form]);
  });
}

INSTANTIATE_TEST_SUITE_P(Registered, ReduceScatterBlock, testing::ValuesIn(algorithms(Operation::reduce_scatter_block)),
                         algorithm_name);

class ReduceScatter : public testing::TestWithParam<Algorithm> {};

TEST_P(ReduceScatter, GivesEverybodyTheirBlock) {
  check_all(GetParam(), false, 4, [](int size, int form) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      // Some empty; all in the last; none anywhere; all different.
      const std::size_t by_form[] = {i % 3 == 1 ? 0 : (i * 7) % 12, i + 1 == counts.size() ? 50U : 0U, 0, i + 1};
      counts[i] = by_form[form];
    }
    return counts;
  });
}

INSTANTIATE_TEST_SUITE_P(Registered, ReduceScatter, testing::ValuesIn(algorithms(Operation::reduce_scatter)),
                         algorithm_name);

}  // namespace
}  // namespace bowline::coll
