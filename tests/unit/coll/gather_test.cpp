// SPDX-License-Identifier: BSD-3-Clause
// Gather and scatter, with their v-forms: every block comes to its place and nothing else is written.
#include "coll/algorithms/gather/gather.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "coll/algorithms/scatter/scatter.hpp"
#include "reference.hpp"
#include "registered.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t element = 3;

/// The root's buffer: a block for each member. In the v-form the blocks differ in length, some are empty, and they lie
/// in the reverse order with gaps between them.
class RootBuffer {
 public:
  RootBuffer(const Case& now, bool varying) {
    std::size_t offset = 0;
    for (int member = 0; member < now.size; ++member) {
      const std::size_t bytes =
          element * (varying ? (now.count * static_cast<std::size_t>(member % 4) + 1) / 2 : now.count);
      table.push_back({static_cast<std::ptrdiff_t>(offset), bytes});
      offset += bytes + (varying ? 2 : 0);
    }
    if (varying) {
      for (Block& block : table) {
        block.offset = static_cast<std::ptrdiff_t>(offset - block.bytes) - block.offset;
      }
    }
    data.assign(offset, gap);
    blocks = varying ? Blocks(data.data(), table.data()) : Blocks(data.data(), element * now.count);
  }
  /// What the buffer holds if every member's block is its pattern.
  Bytes filled(std::uint32_t seed) const {
    Bytes all(data.size(), gap);
    for (std::size_t member = 0; member < table.size(); ++member) {
      const Bytes block = pattern(seed, static_cast<int>(member), table[member].bytes);
      std::ranges::copy(block, all.begin() + table[member].offset);
    }
    return all;
  }

  static constexpr std::byte gap{0xee};
  std::vector<Block> table;
  Bytes data;
  Blocks blocks;
};

void gathers(const Case& now, bool varying) {
  RootBuffer all(now, varying);
  std::vector<Bytes> own;
  std::vector<Arguments> arguments;
  for (int member = 0; member < now.size; ++member) {
    own.push_back(pattern(now.seed, member, all.table[static_cast<std::size_t>(member)].bytes));
  }
  for (int member = 0; member < now.size; ++member) {
    Arguments mine{.root = now.root, .input = own[static_cast<std::size_t>(member)]};
    mine.segment = now.segment_elements * element;
    if (member == now.root) mine.receive = all.blocks;
    if (member == now.root && now.in_place) {
      mine.input = all.blocks[member];
      std::ranges::copy(own[static_cast<std::size_t>(member)], all.blocks[member].begin());
    }
    arguments.push_back(mine);
  }
  run_case(now, arguments);
  ASSERT_EQ(all.data, all.filled(now.seed));
  for (int member = 0; member < now.size; ++member) {
    const Bytes& mine = own[static_cast<std::size_t>(member)];
    ASSERT_EQ(mine, pattern(now.seed, member, mine.size())) << "the input of member " << member << " has changed";
  }
}

void scatters(const Case& now, bool varying) {
  RootBuffer all(now, varying);
  all.data = all.filled(now.seed);
  all.blocks = varying ? Blocks(all.data.data(), all.table.data()) : Blocks(all.data.data(), element * now.count);
  std::vector<Bytes> own;
  for (const Block& block : all.table) own.emplace_back(block.bytes);
  std::vector<Arguments> arguments;
  for (int member = 0; member < now.size; ++member) {
    Arguments mine{.root = now.root, .result = own[static_cast<std::size_t>(member)]};
    mine.segment = now.segment_elements * element;
    if (member == now.root) mine.send = all.blocks;
    if (member == now.root && now.in_place) mine.result = all.blocks[member];
    arguments.push_back(mine);
  }
  run_case(now, arguments);
  ASSERT_EQ(all.data, all.filled(now.seed)) << "the root's blocks have changed";
  for (int member = 0; member < now.size; ++member) {
    if (member == now.root && now.in_place) continue;
    const Bytes& mine = own[static_cast<std::size_t>(member)];
    ASSERT_EQ(mine, pattern(now.seed, member, mine.size())) << "member " << member;
  }
}

class Gather : public testing::TestWithParam<Algorithm> {};
class GatherOverEngines : public Gather {};
TEST_P(Gather, BringsEveryBlockToTheRoot) {
  for_all_cases(GetParam(), {.counts = counts_for(GetParam(), 6000)}, [](const Case& now) { gathers(now, false); });
}
TEST_P(GatherOverEngines, Runs) {
  for_all_cases(GetParam(), cases_over_engines(true), [](const Case& now) { gathers(now, false); });
}

INSTANTIATE_TEST_SUITE_P(Every, Gather, testing::ValuesIn(algorithms(Operation::gather)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, GatherOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::gather)),
                         algorithm_name);

class Gatherv : public testing::TestWithParam<Algorithm> {};
class GathervOverEngines : public Gatherv {};
TEST_P(Gatherv, BringsEveryBlockToItsPlaceAtTheRoot) {
  for_all_cases(GetParam(), {.counts = counts_for(GetParam(), 6000)}, [](const Case& now) { gathers(now, true); });
}
TEST_P(Gatherv, TakesEquallyLongBlocksToo) {
  for_all_cases(GetParam(), {.counts = {9}}, [](const Case& now) { gathers(now, false); });
}
TEST_P(GathervOverEngines, Runs) {
  for_all_cases(GetParam(), cases_over_engines(true), [](const Case& now) { gathers(now, true); });
}

INSTANTIATE_TEST_SUITE_P(Every, Gatherv, testing::ValuesIn(algorithms(Operation::gatherv)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, GathervOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::gatherv)),
                         algorithm_name);

class Scatter : public testing::TestWithParam<Algorithm> {};
class ScatterOverEngines : public Scatter {};
TEST_P(Scatter, BringsEverybodyItsBlock) {
  for_all_cases(GetParam(), {.counts = counts_for(GetParam(), 6000)}, [](const Case& now) { scatters(now, false); });
}
TEST_P(ScatterOverEngines, Runs) {
  for_all_cases(GetParam(), cases_over_engines(true), [](const Case& now) { scatters(now, false); });
}

INSTANTIATE_TEST_SUITE_P(Every, Scatter, testing::ValuesIn(algorithms(Operation::scatter)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, ScatterOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::scatter)),
                         algorithm_name);

class Scatterv : public testing::TestWithParam<Algorithm> {};
class ScattervOverEngines : public Scatterv {};
TEST_P(Scatterv, BringsEverybodyItsBlock) {
  for_all_cases(GetParam(), {.counts = counts_for(GetParam(), 6000)}, [](const Case& now) { scatters(now, true); });
}
TEST_P(Scatterv, TakesEquallyLongBlocksToo) {
  for_all_cases(GetParam(), {.counts = {9}}, [](const Case& now) { scatters(now, false); });
}
TEST_P(ScattervOverEngines, Runs) {
  for_all_cases(GetParam(), cases_over_engines(true), [](const Case& now) { scatters(now, true); });
}

INSTANTIATE_TEST_SUITE_P(Every, Scatterv, testing::ValuesIn(algorithms(Operation::scatterv)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, ScattervOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::scatterv)),
                         algorithm_name);

TEST(Gather, BinomialLetsEverybodySendOnceUnlessItsBlocksGoOnAtRankZero) {
  for (const int size : team_sizes()) {
    for (const int root : {0, size - 1}) {
      const Bytes own(4);
      Bytes all(4 * static_cast<std::size_t>(size));
      const Arguments arguments{.root = root, .input = own, .receive = Blocks(all.data(), 4)};
      Model model(size, 1);
      model.run([&](Channel& channel) { return gather_binomial(channel, arguments); });
      const std::vector<int>& sends = model.sends();
      EXPECT_EQ(std::accumulate(sends.begin(), sends.end(), 0), size - 1);
    }
  }
}

TEST(Scatter, BinomialLoadsTheRootWithTheLogarithm) {
  for (const int size : team_sizes()) {
    Bytes own(4);
    Bytes all(4 * static_cast<std::size_t>(size));
    const Arguments arguments{.result = own, .send = Blocks(all.data(), 4)};
    Model model(size, 1);
    model.run([&](Channel& channel) { return scatter_binomial(channel, arguments); });
    EXPECT_EQ(model.sends()[0], std::bit_width(static_cast<unsigned>(size - 1)));
  }
}

TEST(Gatherv, LinearSendsNothingForEmptyBlocks) {
  const Bytes own;
  Bytes all;
  const Arguments arguments{.root = 2, .input = own, .receive = Blocks(all.data(), std::size_t{0})};
  Model model(6, 1);
  model.run([&](Channel& channel) { return gather_linear(channel, arguments); });
  for (const int sends : model.sends()) EXPECT_EQ(sends, 0);
}

}  // namespace
}  // namespace bowline::coll
