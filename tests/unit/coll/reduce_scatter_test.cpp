// SPDX-License-Identifier: BSD-3-Clause
// Reduce_scatter in both forms: each registered algorithm gives every member its block of the result, whatever the
// lengths of blocks; operands keep their order where the algorithm says so.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>

#include "reference.hpp"

namespace bowline::coll {
namespace {

/// The blocks of a vector, one after the other, in bytes.
std::vector<Block> table_of(const std::vector<std::size_t>& counts, std::size_t element) {
  std::vector<Block> table;
  std::ptrdiff_t end = 0;
  for (const std::size_t count : counts) {
    table.push_back({end, count * element});
    end += static_cast<std::ptrdiff_t>(count * element);
  }
  return table;
}

Bytes cut(const Bytes& vector, const Block& block) {
  const auto first = vector.begin() + block.offset;
  return {first, first + static_cast<std::ptrdiff_t>(block.bytes)};
}

/// So many elements for each member. `uniform`: the blocks are alike, and told so.
void check(const Case& now, const ReferenceOperator& by, const std::vector<std::size_t>& counts, bool uniform) {
  SCOPED_TRACE(by.name);
  const std::vector<Block> table = table_of(counts, by.reduction.element());
  const Blocks places = uniform ? Blocks(nullptr, table[0].bytes) : Blocks(nullptr, table.data());
  const std::size_t length = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::vector<Bytes> inputs, results;
  std::vector<Arguments> arguments;
  for (int member = 0; member < now.size; ++member) {
    inputs.push_back(by.operand(member, length));
    results.emplace_back(table[static_cast<std::size_t>(member)].bytes);
  }
  for (std::size_t member = 0; member < inputs.size(); ++member) {
    const std::span<std::byte> input = inputs[member];
    const std::span<std::byte> result = now.in_place ? input.first(table[member].bytes) : std::span(results[member]);
    arguments.push_back({.input = input, .result = result, .receive = places, .reduction = &by.reduction});
  }
  run_case(now, arguments);

  const Bytes whole = by.combined(0, now.size, length);
  for (int member = 0; member < now.size; ++member) {
    const auto index = static_cast<std::size_t>(member);
    const Bytes got = now.in_place ? cut(inputs[index], {0, table[index].bytes}) : results[index];
    ASSERT_EQ(got, cut(whole, table[index])) << "at member " << member;
    if (!now.in_place) {
      ASSERT_EQ(inputs[index], by.operand(member, length)) << "the input of member " << member;
    }
  }
}

class EveryReduceScatter : public testing::TestWithParam<const Algorithm*> {
 protected:
  ReferenceOperators operators;
};

class ReduceScatterBlock : public EveryReduceScatter {};

TEST_P(ReduceScatterBlock, GivesEverybodyTheirBlock) {
  for (const ReferenceOperator* by : operators.serving(*GetParam())) {
    for_all_cases(*GetParam(), {.counts = {0, 1, 5, 20}, .rooted = false}, [&](const Case& now) {
      check(now, *by, std::vector(static_cast<std::size_t>(now.size), now.count), true);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, ReduceScatterBlock, testing::ValuesIn(all_of(Operation::reduce_scatter_block)),
                         name_of_algorithm);

class ReduceScatter : public EveryReduceScatter {};

TEST_P(ReduceScatter, GivesEverybodyTheirBlock) {
  const auto counts_of = [](int size, std::size_t form) {
    std::vector<std::size_t> counts(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < counts.size(); ++i) {
      // Some empty; all in the last; none anywhere; different ones.
      const std::size_t by_form[] = {i % 3 == 1 ? 0 : i * 7 % 12, i + 1 == counts.size() ? 50U : 0U, 0, i % 8 + 1};
      counts[i] = by_form[form];
    }
    return counts;
  };
  for (const ReferenceOperator* by : operators.serving(*GetParam())) {
    for_all_cases(*GetParam(), {.counts = {0, 1, 2, 3}, .rooted = false},
                  [&](const Case& now) { check(now, *by, counts_of(now.size, now.count), false); });
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, ReduceScatter, testing::ValuesIn(all_of(Operation::reduce_scatter)),
                         name_of_algorithm);

TEST(DirectReduceScatter, CombinesBlocksOfSeveralPieces) {
  const ReferenceOperators operators;
  const Algorithm& algorithm = *find_algorithm(Operation::reduce_scatter, "single_copy");
  for (const ReferenceOperator* by : operators.serving(algorithm)) {
    for (const int size : {1, 2, 3, 5}) {
      for (const bool in_place : {false, true}) {
        const Case now{algorithm, 2, size, 0, 9000, 0, in_place};  // a seed that lets members read each other's buffers
        SCOPED_TRACE(now.describe());
        std::vector<std::size_t> counts(static_cast<std::size_t>(size), 9000);
        counts.front() = 10;
        check(now, *by, counts, false);
      }
    }
  }
}

TEST(ReduceScatterTransfers, AreAsManyAsPromised) {
  const ReferenceOperators operators;
  const ReferenceOperator& sum = operators.sum();
  for (const int size : team_sizes()) {
    const int positions = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
    const int rounds = std::countr_zero(static_cast<unsigned>(positions));
    const std::pair<std::string_view, int> expected[] = {
        {"reduce_scatter", 2 * (size - 1)},
        {"recursive_halving", positions * rounds + 2 * (size - positions)},
        {"pairwise", size * (size - 1)},
        {"ring", size * (size - 1)}};
    for (const auto& [name, transfers] : expected) {
      const Bytes input = sum.operand(0, static_cast<std::size_t>(size));
      std::vector<std::int64_t> results(static_cast<std::size_t>(size));
      std::vector<Arguments> arguments;
      for (std::int64_t& result : results) {
        arguments.push_back({.input = input,
                             .result = std::as_writable_bytes(std::span(&result, 1)),
                             .receive = Blocks(nullptr, sizeof(result)),
                             .reduction = &sum.reduction});
      }
      const Case now{*find_algorithm(Operation::reduce_scatter_block, name), 1, size, 0, 1, 0, false};
      const std::vector<int> sends = run_case(now, arguments);
      EXPECT_EQ(std::accumulate(sends.begin(), sends.end(), 0), transfers) << now.describe();
    }
  }
}

}  // namespace
}  // namespace bowline::coll
