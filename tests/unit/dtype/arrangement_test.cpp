// SPDX-License-Identifier: BSD-3-Clause
// dtype/arrangement: random types against the place of every byte.
#include "dtype/arrangement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dtype/construction/construct.hpp"
#include "random_type.hpp"
#include "support/owned_type.hpp"
#include "support/seed.hpp"

namespace bowline::dtype {
namespace {

using test::owned;

struct Run {
  std::ptrdiff_t begin, end;
};

/// The runs of consecutive bytes, merged where one begins at the end of its predecessor.
std::vector<Run> runs_of(const std::vector<std::ptrdiff_t>& bytes) {
  std::vector<Run> runs;
  for (const std::ptrdiff_t place : bytes) {
    if (!runs.empty() && runs.back().end == place) {
      ++runs.back().end;
    } else {
      runs.push_back({place, place + 1});
    }
  }
  return runs;
}

void check_arrangement(const Sample& sample, int& disjoint_ones) {
  const auto& bytes = sample.model.bytes;
  const_cast<Datatype&>(*sample.type).commit();
  const Layout& layout = sample.type->layout();
  const Arrangement found = arrangement_of(layout);
  if (bytes.empty()) {
    ASSERT_EQ(found.granule, 0U);
    ASSERT_TRUE(found.ascending && found.disjoint);
    ASSERT_EQ(data_before(layout, 1 << 20), 0U);
    return;
  }
  const std::vector<Run> runs = runs_of(bytes);
  const auto [low, high] = std::ranges::minmax(bytes);
  ASSERT_EQ(found.first, bytes.front());
  ASSERT_EQ(found.low, low);
  ASSERT_EQ(found.high, high + 1);
  const bool disjoint = std::ranges::adjacent_find(bytes, std::greater_equal<>()) == bytes.end();
  ASSERT_EQ(found.disjoint, disjoint);
  if (disjoint) {
    ASSERT_TRUE(found.ascending);
  }
  if (found.ascending) {
    ASSERT_TRUE(std::ranges::is_sorted(runs, {}, &Run::begin));
  }
  ASSERT_GT(found.granule, 0U);
  const auto granule = static_cast<std::ptrdiff_t>(found.granule);
  for (const Run& run : runs) {
    ASSERT_EQ(run.begin % granule, 0);
    ASSERT_EQ(run.end % granule, 0);
  }
  if (!disjoint) return;
  ++disjoint_ones;
  for (std::ptrdiff_t offset = low - 3; offset <= high + 3; ++offset) {
    const auto before = std::ranges::lower_bound(bytes, offset) - bytes.begin();
    ASSERT_EQ(data_before(layout, offset), static_cast<std::size_t>(before)) << "at " << offset;
  }
}

TEST(Arrangement, OfRandomTypesAgreesWithTheirBytes) {
  int disjoint_ones = 0;
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
    Maker maker(seed);
    for (int round = 0; round < 400; ++round) {
      const Sample sample = maker.make(4);
      if (sample.model.bytes.size() > 20000) continue;
      SCOPED_TRACE(maker.text);
      ASSERT_NO_FATAL_FAILURE(check_arrangement(sample, disjoint_ones));
    }
  }
  EXPECT_GT(disjoint_ones, 100);
}

TEST(Arrangement, BlocksMayBeginInOrderAndOverlapNevertheless) {
  Envelope blocks{.combiner = Combiner::indexed, .large = true};
  blocks.counts = {2, 3, 1, 0, 1};
  const TypeRef type = owned(compose(std::move(blocks), byte_type()));
  const_cast<Datatype&>(*type).commit();
  const Arrangement found = arrangement_of(type->layout());
  EXPECT_TRUE(found.ascending);
  EXPECT_FALSE(found.disjoint);
}

TEST(Arrangement, DeeplySharedNodesAreSeenOnce) {
  TypeRef type = owned(compose({.combiner = Combiner::contiguous, .large = true, .counts = {3}}, byte_type()));
  std::int64_t extent = 3;
  for (int depth = 0; depth < 40; ++depth) {  // 2^40 references to the innermost one
    Envelope pair{.combiner = Combiner::structure, .large = true};
    pair.counts = {2, 1, 1, 0, extent + 2};
    type = owned(compose(std::move(pair), {type, type}));
    extent = type->extent();
  }
  const_cast<Datatype&>(*type).commit();
  const Arrangement found = arrangement_of(type->layout());
  EXPECT_TRUE(found.disjoint);
  EXPECT_EQ(data_before(type->layout(), found.high), type->size());
  EXPECT_EQ(data_before(type->layout(), found.high - 1), type->size() - 1);
}

}  // namespace
}  // namespace bowline::dtype
