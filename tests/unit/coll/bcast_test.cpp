// SPDX-License-Identifier: BSD-3-Clause
// The broadcast: from every root to every member, for every length, each receiving once.
#include "coll/algorithms/bcast.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "model.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

std::vector<std::byte> data_of(int root, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(root) * 13 + 1);
  return data;
}

TEST(Bcast, BinomialBringsTheRootsDataToEverybody) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      for (int root = 0; root < size; ++root) {
        for (const std::size_t bytes : {0, 1, 8, 1000}) {
          SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members, root " +
                       std::to_string(root));
          std::vector<std::vector<std::byte>> data(static_cast<std::size_t>(size), std::vector<std::byte>(bytes));
          data[static_cast<std::size_t>(root)] = data_of(root, bytes);
          Model model(size, seed);
          std::vector<Arguments> arguments;
          for (auto& mine : data) arguments.push_back({.root = root, .result = mine});
          model.run([&](Channel& channel) {
            return bcast_binomial(channel, arguments[static_cast<std::size_t>(channel.rank())]);
          });
          for (const auto& mine : data) ASSERT_EQ(mine, data_of(root, bytes));
          ASSERT_EQ(std::accumulate(model.sends().begin(), model.sends().end(), 0), size - 1);
        }
      }
    }
  }
}

TEST(Bcast, BinomialLoadsTheRootWithTheLogarithm) {
  for (const int size : team_sizes()) {
    std::vector<std::byte> data(8);
    Model model(size, 1);
    const Arguments arguments{.result = data};
    model.run([&](Channel& channel) { return bcast_binomial(channel, arguments); });
    EXPECT_EQ(model.sends()[0], std::bit_width(static_cast<unsigned>(size - 1)));
  }
}

}  // namespace
}  // namespace bowline::coll
