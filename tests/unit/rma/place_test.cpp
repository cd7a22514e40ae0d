// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "rma/target_data.hpp"
#include "support/owned_type.hpp"

namespace bowline::rma {
namespace {

using test::committed;

const dtype::Datatype& integers() {
  return dtype::type_of(dtype::Element::i32);
}

bool within(std::int64_t displacement, std::size_t count, std::int64_t unit, std::uint64_t size,
            const dtype::Datatype& type = integers()) {
  std::int64_t offset = 0;
  return lies_within({displacement, count, &type}, unit, size, offset);
}

TEST(TargetData, LiesWithinUpToTheLastByte) {
  EXPECT_TRUE(within(0, 4, 4, 16));
  EXPECT_FALSE(within(0, 5, 4, 16));
  EXPECT_TRUE(within(3, 1, 4, 16));
  EXPECT_FALSE(within(4, 1, 4, 16));
  EXPECT_FALSE(within(13, 1, 1, 16));
  EXPECT_FALSE(within(-1, 1, 4, 16));
}

TEST(TargetData, WithoutDataLiesAnywhere) {
  EXPECT_TRUE(within(1000, 0, 4, 16));
}

TEST(TargetData, DoesNotWrapAround) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(within(most, 1, 8, 16));
  EXPECT_FALSE(within(most / 4, 1, 8, 16));
  EXPECT_FALSE(within(0, std::numeric_limits<std::size_t>::max() / 8, 1, 16));
}

TEST(TargetData, CountsTheHolesBetweenDataOnly) {
  const dtype::TypeRef vector = committed(
      dtype::compose({.combiner = dtype::Combiner::vector, .integers = {2, 1, 3}}, integers()));  // bytes 0-4, 12-16
  EXPECT_TRUE(within(0, 1, 1, 16, *vector));
  EXPECT_FALSE(within(0, 1, 1, 15, *vector));
  const dtype::TypeRef backwards = committed(
      dtype::compose({.combiner = dtype::Combiner::hvector, .integers = {2, 1}, .addresses = {-8}}, integers()));
  EXPECT_FALSE(within(7, 1, 1, 100, *backwards));
  EXPECT_TRUE(within(8, 1, 1, 12, *backwards));
}

TEST(TargetData, LiesWithinARegionByAddresses) {
  const TargetData place{0x1000, 4, &integers()};
  EXPECT_TRUE(lies_within_region(place, 0x1000, 16));
  EXPECT_FALSE(lies_within_region(place, 0x1000, 15));
  EXPECT_FALSE(lies_within_region(place, 0x1001, 100));
  EXPECT_FALSE(lies_within_region({-8, 4, &integers()}, 0, 16)) << "the end of the addresses";
}

TEST(TargetData, TheErrorNamesBytesAndSize) {
  try {
    refuse_range({3, 2, &integers()}, 4, 16, 7, "the window w");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::rma_range);
    const std::string text = error.what();
    for (const char* const part : {"rank 7", "the window w", "bytes 12 to 20", "MPI_INT", "has 16 bytes"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace bowline::rma
