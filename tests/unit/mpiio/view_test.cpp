// SPDX-License-Identifier: BSD-3-Clause
// mpiio/view: positions and offsets against a list of every byte, and the checks of etype and filetype.
#include "mpiio/view/view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "support/owned_type.hpp"
#include "support/seed.hpp"
#include "unit/dtype/random_type.hpp"

namespace bowline::mpiio {
namespace {

using dtype::Combiner;
using dtype::TypeRef;
using test::committed;

TypeRef indexed(std::vector<std::int64_t> lengths, const std::vector<std::int64_t>& places) {
  dtype::Envelope given{.combiner = Combiner::indexed, .large = true};
  given.counts.push_back(static_cast<std::int64_t>(lengths.size()));
  given.counts.insert(given.counts.end(), lengths.begin(), lengths.end());
  given.counts.insert(given.counts.end(), places.begin(), places.end());
  return committed(dtype::compose(std::move(given), dtype::byte_type()));
}

TypeRef resized(const TypeRef& type, std::int64_t lb, std::int64_t extent) {
  dtype::Envelope given{.combiner = Combiner::resized, .large = true};
  given.counts = {lb, extent};
  return committed(dtype::resize(std::move(given), *type, lb, extent));
}

View view_of(const TypeRef& filetype, Offset displacement = 0, bool writable = true) {
  return {displacement, dtype::byte_type(), *filetype, native_representation(), writable};
}

TEST(View, OfAWholeFileShowsEachByteAtItsOffset) {
  const View view;
  EXPECT_TRUE(view.contiguous());
  EXPECT_TRUE(view.ascends(7, 1000));
  EXPECT_EQ(view.offset_of(123456789012), 123456789012);
  EXPECT_EQ(view.position_of(55, 0), 55U);
  EXPECT_EQ(view.etypes_before(77), 77U);
}

TEST(View, TilesFollowEachOther) {
  // .ab..c | .ab..c, from 100 on
  const View view = view_of(resized(indexed({2, 1}, {1, 5}), 0, 6), 100);
  const std::array<Offset, 7> offsets = {101, 102, 105, 107, 108, 111, 113};
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    EXPECT_EQ(view.offset_of(i), offsets[i]) << i;
    EXPECT_EQ(view.position_of(offsets[i], 0), i);
    EXPECT_EQ(view.position_of(offsets[i] + 1, 0), i + 1);
  }
  EXPECT_EQ(view.position_of(50, 0), 0U);
  EXPECT_EQ(view.etypes_before(106), 3U);
  EXPECT_EQ(view.etypes_before(107), 3U);
  EXPECT_EQ(view.etypes_before(108), 4U);
  EXPECT_TRUE(view.ascends(0, 1000));
  EXPECT_FALSE(view.contiguous());
}

TEST(View, TilesThatInterleaveAscendWithinOne) {
  const View view = view_of(resized(indexed({1, 1, 1}, {0, 10, 20}), 0, 1));
  EXPECT_TRUE(view.ascends(3, 3));
  EXPECT_FALSE(view.ascends(0, 6));
  EXPECT_EQ(view.offset_of(4), 11);
  EXPECT_EQ(view.position_of(11, 3), 4U);
  EXPECT_EQ(view.position_of(12, 3), 5U);
}

TEST(View, RandomTypesAgreeWithTheirBytes) {
  int found = 0;
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
    dtype::Maker maker(seed);
    for (int round = 0; round < 600; ++round) {
      const dtype::Sample sample = maker.make(3);
      const auto& bytes = sample.model.bytes;
      const_cast<dtype::Datatype&>(*sample.type).commit();
      if (bytes.empty() || bytes.size() > 2000 || bytes.front() < 0 || sample.model.extent() <= 0) continue;
      if (!std::ranges::is_sorted(bytes) || std::ranges::adjacent_find(bytes) != bytes.end()) continue;
      SCOPED_TRACE(maker.text);
      const auto displacement = static_cast<Offset>(maker.upto(100));
      const View view = view_of(sample.type, displacement);
      const std::size_t tiles = 3;
      std::vector<Offset> offsets;
      for (std::size_t tile = 0; tile < tiles; ++tile)
        for (const std::ptrdiff_t place : bytes)
          offsets.push_back(displacement + place + static_cast<Offset>(tile) * sample.model.extent());
      const bool ascends = std::ranges::is_sorted(offsets, std::less_equal<>());
      ASSERT_EQ(view.ascends(0, offsets.size()), ascends);
      for (std::size_t i = 0; i < offsets.size(); ++i) {
        ASSERT_EQ(view.offset_of(i), offsets[i]);
      }
      std::vector<FilePiece> pieces(5);
      FilePieces list(view, 0, offsets.size());
      std::size_t at = 0;
      const auto granule = static_cast<Offset>(view.granule());
      while (const std::size_t count = list.next(pieces)) {
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(pieces[i].offset % granule, 0);
          ASSERT_EQ(static_cast<Offset>(pieces[i].bytes) % granule, 0);
          for (std::size_t j = 0; j < pieces[i].bytes; ++j)
            ASSERT_EQ(pieces[i].offset + static_cast<Offset>(j), offsets[at++]);
        }
      }
      ASSERT_EQ(at, offsets.size());
      if (!ascends) continue;
      ++found;
      for (Offset offset = displacement; offset < offsets.back() + 2; ++offset) {
        const auto before = std::ranges::lower_bound(offsets, offset) - offsets.begin();
        const std::uint64_t position = view.position_of(offset, 0);
        ASSERT_EQ(std::min<std::uint64_t>(position, offsets.size()), static_cast<std::uint64_t>(before)) << offset;
      }
    }
  }
  EXPECT_GT(found, 50);
}

ErrorClass refused(const TypeRef& etype, const TypeRef& filetype, bool writable) {
  try {
    const View view(0, *etype, *filetype, native_representation(), writable);
    return ErrorClass::success;
  } catch (const Error& error) {
    return error.error_class();
  }
}

TEST(View, ChecksItsTypes) {
  const TypeRef byte(dtype::byte_type());
  const TypeRef three = indexed({3}, {0});
  EXPECT_EQ(refused(byte, indexed({1, 1}, {-2, 2}), false), ErrorClass::io);
  EXPECT_EQ(refused(byte, indexed({1, 1}, {3, 0}), false), ErrorClass::io);
  EXPECT_EQ(refused(byte, indexed({3, 1}, {0, 1}), true), ErrorClass::io);
  EXPECT_EQ(refused(byte, indexed({3, 1}, {0, 1}), false), ErrorClass::success);
  EXPECT_EQ(refused(indexed({3, 1}, {0, 1}), indexed({3, 1}, {0, 1}), true), ErrorClass::io);
  EXPECT_EQ(refused(three, indexed({4}, {0}), true), ErrorClass::arg);
  EXPECT_EQ(refused(three, indexed({3, 3}, {0, 9}), true), ErrorClass::success);
  EXPECT_EQ(refused(indexed({}, {}), byte, true), ErrorClass::arg);
  EXPECT_EQ(refused(byte, indexed({}, {}), true), ErrorClass::success);
}

}  // namespace
}  // namespace bowline::mpiio
