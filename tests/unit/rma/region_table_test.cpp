// SPDX-License-Identifier: BSD-3-Clause
#include "rma/region_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "dtype/predefined.hpp"

namespace bowline::rma {
namespace {

TargetData eight_bytes_at(std::int64_t address) {
  return {address, 2, &dtype::type_of(dtype::Element::i32)};
}

TEST(RegionTable, FindsPlacesWithinOneRegion) {
  const auto shown = std::make_unique<RegionTable::Shown>();
  RegionTable table(shown.get());
  EXPECT_EQ(table.find(eight_bytes_at(0x1000)), RegionTable::Found::no);
  table.show({{0x1000, 16}, {0x1018, 16}});
  EXPECT_EQ(table.find(eight_bytes_at(0x1000)), RegionTable::Found::yes);
  EXPECT_EQ(table.find(eight_bytes_at(0x1008)), RegionTable::Found::yes);
  EXPECT_EQ(table.find(eight_bytes_at(0x100c)), RegionTable::Found::no) << "only its beginning";
  EXPECT_EQ(table.find(eight_bytes_at(0xffc)), RegionTable::Found::no);
  table.show({{0x1018, 16}});
  EXPECT_EQ(table.find(eight_bytes_at(0x1000)), RegionTable::Found::no);
}

TEST(RegionTable, WithMoreRegionsThanItShowsOnlyTheOwnerKnows) {
  const auto shown = std::make_unique<RegionTable::Shown>();
  RegionTable table(shown.get());
  Regions::Ranges many;
  for (std::uint64_t i = 0; i <= RegionTable::most; ++i) many[0x1000 + 16 * i] = 8;
  table.show(many);
  EXPECT_EQ(table.find(eight_bytes_at(0x1000)), RegionTable::Found::yes);
  EXPECT_EQ(table.find(eight_bytes_at(0x1000 + 16 * RegionTable::most)), RegionTable::Found::unknown);
  many.erase(0x1000);
  table.show(many);
  EXPECT_EQ(table.find(eight_bytes_at(0x1000)), RegionTable::Found::no);
}

TEST(ThreadsRegionTable, AReaderSeesWholeChanges) {
  const auto shown = std::make_unique<RegionTable::Shown>();
  RegionTable table(shown.get());
  const Regions::Ranges few = {{0x1000, 16}, {0x2000, 16}}, other = {{0x1000, 16}, {0x3000, 8}};
  table.show(few);
  std::atomic<bool> over{false};
  std::thread owner([&] {
    for (int i = 0; i < 3000; ++i) table.show(i % 2 == 0 ? other : few);
    over = true;
  });
  while (!over) {
    EXPECT_EQ(table.find(eight_bytes_at(0x1000)), RegionTable::Found::yes);
    EXPECT_EQ(table.find(eight_bytes_at(0x4000)), RegionTable::Found::no);
  }
  owner.join();
}

}  // namespace
}  // namespace bowline::rma
