// SPDX-License-Identifier: BSD-3-Clause
// dtype/remake: a type made again from its envelope has the same data at the same places.
#include "dtype/construction/remake.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dtype/construction/construct.hpp"
#include "dtype/cursor.hpp"
#include "random_type.hpp"
#include "support/owned_type.hpp"
#include "support/seed.hpp"

namespace bowline::dtype {
namespace {

using test::owned;

/// Made again down to the predefined types.
TypeRef again(const Datatype& type) {
  if (type.predefined()) return TypeRef(type);
  std::vector<TypeRef> types;
  for (const TypeRef& inner : type.types()) types.push_back(again(*inner));
  return owned(remake(type.envelope(), std::move(types)));
}

std::vector<std::pair<std::uintptr_t, std::size_t>> places_of(const Datatype& type) {
  const_cast<Datatype&>(type).commit();
  std::vector<std::pair<std::uintptr_t, std::size_t>> places;
  auto* const somewhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);  // nothing looks there
  Cursor cursor(type, 2, somewhere);
  std::vector<iovec> pieces(7);
  while (const std::size_t n = cursor.next_iovec(pieces)) {
    for (std::size_t i = 0; i < n; ++i)
      places.emplace_back(reinterpret_cast<std::uintptr_t>(pieces[i].iov_base), pieces[i].iov_len);
  }
  return places;
}

void check_same(const Datatype& type) {
  const TypeRef copy = again(type);
  EXPECT_EQ(copy->size(), type.size());
  EXPECT_EQ(copy->bounds().lb, type.bounds().lb);
  EXPECT_EQ(copy->extent(), type.extent());
  EXPECT_EQ(copy->bounds().elements, type.bounds().elements);
  EXPECT_EQ(places_of(*copy), places_of(type));
}

TEST(Remake, RandomTypesStayTheSame) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
    Maker maker(seed);
    for (int round = 0; round < 200; ++round) {
      const Sample sample = maker.make(4);
      if (sample.model.bytes.size() > 20000) continue;
      SCOPED_TRACE(maker.text);
      check_same(*sample.type);
      if (HasFailure()) return;
    }
  }
}

TEST(Remake, DistributedArraysOfEachKind) {
  constexpr int none = 16, block = 17, cyclic = 18, by_default = 19;
  for (int rank = 0; rank < 6; ++rank) {
    Envelope given{.combiner = Combiner::darray};
    given.integers = {6, rank, 3, 7, 5, 4, block, cyclic, none, by_default, 2, by_default, 3, 2, 1, 12};
    const std::vector<Distribution> parts = {{7, 3, 3, rank / 2}, {5, 2, 2, rank % 2}, {4, 4, 1, 0}};
    check_same(*owned(darray(std::move(given), *predefined_datatype(0x214), parts, Order::c)));
  }
}

}  // namespace
}  // namespace bowline::dtype
