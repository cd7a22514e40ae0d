// SPDX-License-Identifier: BSD-3-Clause
// The expect_broadcast: from every root to every member, for every length, with the promised number of messages.
#include "coll/algorithms/bcast/bcast.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "reference.hpp"
#include "registered.hpp"

namespace bowline::coll {
namespace {

void expect_broadcast(const Case& now) {
  const Bytes expected = pattern(now.seed, now.root, now.count);
  std::vector<Bytes> data(static_cast<std::size_t>(now.size), Bytes(now.count));
  data[static_cast<std::size_t>(now.root)] = expected;
  std::vector<Arguments> arguments;
  for (Bytes& mine : data) {
    arguments.push_back({.root = now.root, .result = mine, .segment = now.segment_elements});
  }
  run_case(now, arguments);
  for (int member = 0; member < now.size; ++member) {
    ASSERT_EQ(data[static_cast<std::size_t>(member)], expected) << "member " << member;
  }
}

class Bcast : public testing::TestWithParam<Algorithm> {};
class BcastOverEngines : public Bcast {};

TEST_P(Bcast, BringsTheRootsDataToEverybody) {
  const Cases cases{.counts = {0, 1, 2, 15, 16, 17, 33}, .segments = {0, 1, 8, 1000}, .in_place = false};
  for_all_cases(GetParam(), cases, expect_broadcast);
}

/// The root's data may be in use elsewhere, or not writable: not even the same bytes may be written there.
TEST_P(Bcast, OnlyReadsTheRootsData) {
  constexpr std::size_t bytes = 4096;
  void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  const std::span<std::byte> constant(static_cast<std::byte*>(page), bytes);
  const Bytes expected = pattern(1, 0, bytes);
  std::ranges::copy(expected, constant.begin());
  ASSERT_EQ(mprotect(page, bytes, PROT_READ), 0);
  for_all_cases(GetParam(), {.counts = {bytes}, .segments = {0, 1000}, .in_place = false}, [&](const Case& now) {
    std::vector<Bytes> data(static_cast<std::size_t>(now.size), Bytes(bytes));
    std::vector<Arguments> arguments;
    for (Bytes& mine : data) {
      arguments.push_back({.root = now.root, .result = mine, .segment = now.segment_elements});
    }
    arguments[static_cast<std::size_t>(now.root)].result = constant;
    run_case(now, arguments);
    for (int member = 0; member < now.size; ++member) {
      if (member != now.root) {
        ASSERT_EQ(data[static_cast<std::size_t>(member)], expected) << "member " << member;
      }
    }
  });
  munmap(page, bytes);
}

TEST_P(BcastOverEngines, Runs) {
  for_all_cases(GetParam(), cases_over_engines(true), expect_broadcast);
}

INSTANTIATE_TEST_SUITE_P(Every, Bcast, testing::ValuesIn(algorithms(Operation::bcast)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, BcastOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::bcast)),
                         algorithm_name);

/// How many messages each member sends.
std::vector<int> sends_of(Run bcast, int size, int root, std::size_t bytes, std::size_t segment) {
  std::vector<Bytes> data(static_cast<std::size_t>(size), Bytes(bytes));
  Model model(size, 1);
  std::vector<Arguments> arguments;
  for (Bytes& mine : data) arguments.push_back({.root = root, .result = mine, .segment = segment});
  model.run([&](Channel& channel) { return bcast(channel, arguments[static_cast<std::size_t>(channel.rank())]); });
  return model.sends();
}

int logarithm(int size) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1)));
}

TEST(BcastMessages, TreesSendOneToEverybodyAndLoadTheRootWithTheirDepth) {
  for (const int size : team_sizes()) {
    for (const Algorithm* tree :
         {find_algorithm(Operation::bcast, "binomial"), find_algorithm(Operation::bcast, "knomial")}) {
      const std::vector<int> sends = sends_of(tree->run, size, size / 2, 8, 0);
      EXPECT_EQ(std::accumulate(sends.begin(), sends.end(), 0), size - 1);
      const int levels = tree->run == bcast_knomial ? 3 * ((logarithm(size) + 1) / 2) : logarithm(size);
      EXPECT_LE(sends[static_cast<std::size_t>(size / 2)], levels) << tree->name;
    }
  }
}

TEST(BcastMessages, PipelinesSendEverySegmentToEverybodyOnce) {
  for (const int size : team_sizes()) {
    const std::vector<int> chain = sends_of(bcast_chain, size, 0, 100, 30);
    EXPECT_EQ(std::accumulate(chain.begin(), chain.end(), 0), 4 * (size - 1));
    EXPECT_LE(std::ranges::max(chain), 4) << "to one other";
    const std::vector<int> tree = sends_of(bcast_binary_tree, size, size - 1, 100, 30);
    EXPECT_EQ(std::accumulate(tree.begin(), tree.end(), 0), 4 * (size - 1));
    EXPECT_LE(std::ranges::max(tree), 8) << "to two others";
  }
}

TEST(BcastMessages, ScatterAndAllgatherSendNobodyWhatItHas) {
  for (const int size : team_sizes()) {
    const std::vector<int> ring = sends_of(bcast_scatter_ring, size, 0, 1000, 0);
    // Besides n - 1 in the scatter each member gets the parts that it lacks one by one.
    int expected = size - 1;
    for (int position = 1; position < size; ++position)
      expected += size - std::min(position & -position, size - position);
    EXPECT_EQ(std::accumulate(ring.begin(), ring.end(), 0), expected);
    // In each round a member sends two messages at most, and in the scatter as many as there are rounds.
    const std::vector<int> doubling = sends_of(bcast_scatter_doubling, size, 0, 1000, 0);
    EXPECT_LE(std::ranges::max(doubling), 3 * logarithm(size));
  }
}

}  // namespace
}  // namespace bowline::coll
