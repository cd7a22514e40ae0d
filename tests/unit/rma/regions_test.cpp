// SPDX-License-Identifier: BSD-3-Clause
#include "rma/regions.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "dtype/predefined.hpp"

namespace bowline::rma {
namespace {

TargetData two_numbers_at(std::int64_t address) {
  return {address, 2, &dtype::type_of(dtype::Element::i32)};
}

TEST(Regions, HoldWhatLiesInThem) {
  Regions regions;
  EXPECT_FALSE(regions.hold(two_numbers_at(0x1000)));
  regions.attach(0x1000, 16, "a window");
  EXPECT_TRUE(regions.hold(two_numbers_at(0x1000)));
  EXPECT_TRUE(regions.hold(two_numbers_at(0x1008)));
  EXPECT_FALSE(regions.hold(two_numbers_at(0x100c)));
  EXPECT_FALSE(regions.hold(two_numbers_at(0xffc)));
  EXPECT_TRUE(regions.hold({0x9999, 0, &dtype::type_of(dtype::Element::i32)})) << "no bytes";
}

TEST(Regions, ThatTouchEachOtherHoldAPlaceTogether) {
  Regions regions;
  regions.attach(0x1020, 16, "a window");
  regions.attach(0x1000, 16, "a window");
  EXPECT_FALSE(regions.hold(two_numbers_at(0x100c)));
  regions.attach(0x1010, 16, "a window");
  EXPECT_TRUE(regions.hold(two_numbers_at(0x100c)));
  EXPECT_TRUE(regions.hold(two_numbers_at(0x101c)));
  EXPECT_EQ(regions.joined(), (Regions::Ranges{{0x1000, 48}}));
  EXPECT_TRUE(regions.detach(0x1010));
  EXPECT_EQ(regions.joined(), (Regions::Ranges{{0x1000, 16}, {0x1020, 16}}));
  EXPECT_TRUE(regions.detach(0x1000));
  EXPECT_TRUE(regions.detach(0x1020));
  EXPECT_TRUE(regions.joined().empty());
  EXPECT_FALSE(regions.detach(0x1020));
}

TEST(Regions, DoNotOverlap) {
  Regions regions;
  regions.attach(0x1000, 16, "a window");
  regions.attach(0x1020, 0, "a window");
  EXPECT_THROW(regions.attach(0x1000, 16, "a window"), Error);
  EXPECT_THROW(regions.attach(0x100f, 16, "a window"), Error);
  EXPECT_THROW(regions.attach(0xff8, 9, "a window"), Error);
  EXPECT_THROW(regions.attach(0x1020, 8, "a window"), Error) << "one address names two regions";
  EXPECT_THROW(regions.attach(0x2000, ~std::uint64_t{0}, "a window"), Error);
  EXPECT_EQ(regions.joined(), (Regions::Ranges{{0x1000, 16}}));
  EXPECT_TRUE(regions.detach(0x1020)) << "an empty region";
}

}  // namespace
}  // namespace bowline::rma
