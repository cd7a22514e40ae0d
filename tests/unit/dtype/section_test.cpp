// SPDX-License-Identifier: BSD-3-Clause
// dtype/section and section_copy: views of random types over random sections against the place of every byte.
#include "dtype/section.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "dtype/cursor.hpp"
#include "dtype/op.hpp"
#include "random_type.hpp"
#include "support/seed.hpp"
#include "support/untouched.hpp"

namespace bowline::dtype {
namespace {

using test::untouched;

/// A random section: of an array of elements, of which each dimension takes some.
struct SectionModel {
  std::ptrdiff_t element;
  std::vector<Section::Dimension> dimensions;

  explicit SectionModel(Maker& random) : element(random.between(1, 12)) {
    std::ptrdiff_t size = element;  // bytes of the array up to this dimension
    for (std::int64_t i = random.between(1, 4); i > 0; --i) {
      const std::int64_t step = random.chance(2) ? 1 : random.between(1, 3);
      const std::int64_t extent = random.between(1, 4);
      dimensions.push_back({extent, (random.chance(4) ? -step : step) * size});
      size *= step * extent + random.upto(2);
    }
  }

  Section section(std::byte* base) const {
    Section made{.base = base, .block = element, .dimensions = static_cast<int>(dimensions.size()), .dimension = {}};
    std::ranges::copy(dimensions, made.dimension.begin());
    made.simplify();
    return made;
  }

  /// The place of byte `offset`, relative to the base.
  std::ptrdiff_t place(std::ptrdiff_t offset) const {
    std::ptrdiff_t rest = offset >= 0 ? offset / element : (offset - element + 1) / element;
    std::ptrdiff_t result = offset - rest * element;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const auto [extent, stride] = dimensions[i];
      const bool last = i + 1 == dimensions.size();
      const std::ptrdiff_t index = last ? rest : ((rest % extent) + extent) % extent;
      result += index * stride;
      rest = (rest - index) / extent;
    }
    return result;
  }
};

/// Memory for `count` elements of a type in a section.
struct SectionImage {
  std::vector<std::ptrdiff_t> places;  ///< of each byte of data, in order
  std::vector<std::byte> memory;
  std::ptrdiff_t base = 0;

  SectionImage(const Model& type, const SectionModel& section, std::size_t count, std::ptrdiff_t begin) {
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::ptrdiff_t byte : type.bytes)
        places.push_back(section.place(begin + byte + static_cast<std::ptrdiff_t>(i) * type.extent()));
    }
    const auto [low, high] = std::ranges::minmax(places);
    base = -low;
    for (std::ptrdiff_t& place : places) place -= low;
    memory.assign(static_cast<std::size_t>(high - low + 1), untouched);
  }
  bool overlaps() const {
    std::vector<std::ptrdiff_t> sorted = places;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
};

void fill(std::vector<std::byte>& bytes, Maker& random) {
  for (std::byte& each : bytes) each = static_cast<std::byte>(random.upto(0xed));
}

void check_packing(Cursor cursor, SectionImage& image, Maker& random) {
  fill(image.memory, random);
  std::vector<std::byte> expected, stream(image.places.size(), untouched);
  for (const std::ptrdiff_t place : image.places) expected.push_back(image.memory[static_cast<std::size_t>(place)]);
  ASSERT_EQ(cursor.pack(stream), stream.size());
  ASSERT_EQ(stream, expected) << "packed at once";
  std::ranges::fill(stream, untouched);
  cursor.seek(0);
  for (std::size_t done = 0; done < stream.size();) {
    const auto part = std::min(static_cast<std::size_t>(random.between(1, 30)), stream.size() - done);
    ASSERT_EQ(cursor.pack(std::span(stream).subspan(done, part)), part);
    done += part;
  }
  ASSERT_EQ(stream, expected) << "packed in pieces";
}

void check_listing(Cursor cursor, const SectionImage& image, Maker& random) {
  for (std::size_t from = 0; from < image.places.size(); from += static_cast<std::size_t>(random.between(1, 20))) {
    std::vector<iovec> list(static_cast<std::size_t>(random.between(1, 5)));
    cursor.seek(from);
    std::size_t at = from;
    for (const iovec& piece : std::span(list).first(cursor.next_iovec(list))) {
      const auto* const begin = static_cast<const std::byte*>(piece.iov_base);
      for (std::size_t i = 0; i < piece.iov_len; ++i, ++at) {
        ASSERT_LT(at, image.places.size());
        ASSERT_EQ(begin + i - image.memory.data(), image.places[at]) << "byte " << at << " listed from " << from;
      }
    }
    ASSERT_GT(at, from);
    ASSERT_EQ(cursor.position(), at);
  }
}

void check_unpacking(Cursor cursor, SectionImage& image, Maker& random) {
  if (image.overlaps()) return;
  std::vector<std::byte> stream(image.places.size());
  fill(stream, random);
  std::ranges::fill(image.memory, untouched);
  std::vector<std::byte> expected = image.memory;
  for (std::size_t i = 0; i < stream.size(); ++i) expected[static_cast<std::size_t>(image.places[i])] = stream[i];
  const auto cut = static_cast<std::size_t>(random.upto(static_cast<std::int64_t>(stream.size())));
  cursor.seek(cut);
  cursor.unpack(std::span(stream).subspan(cut));
  cursor.seek(0);
  cursor.unpack(std::span(stream).first(cut));
  ASSERT_EQ(image.memory, expected);
}

/// A type over a section; `second`: as the second one of a view.
void check_view(const Sample& sample, Maker& random, bool second) {
  const SectionModel model(random);
  const auto count = static_cast<std::size_t>(random.between(1, 5));
  const std::ptrdiff_t begin = random.chance(3) ? random.between(0, 50) : 0;  // as the block of a later member
  SectionImage image(sample.model, model, count, begin);
  Sections sections;
  sections[second ? 1 : 0] = model.section(image.memory.data() + image.base);
  if (second) sections[0] = sections[1];
  Datatype& view = Datatype::view(*sample.type, sections);
  ASSERT_FALSE(view.contiguous());
  ASSERT_EQ(&view.given(), &*sample.type);
  ASSERT_EQ(view.size(), sample.type->size());
  ASSERT_EQ(view.extent(), sample.type->extent());
  const auto address = reinterpret_cast<std::uintptr_t>(Sections::virtual_address(second ? 1 : 0));
  const Cursor cursor(view, count, reinterpret_cast<const void*>(address + static_cast<std::uintptr_t>(begin)));
  ASSERT_NO_FATAL_FAILURE(check_packing(cursor, image, random));
  ASSERT_NO_FATAL_FAILURE(check_listing(cursor, image, random));
  ASSERT_NO_FATAL_FAILURE(check_unpacking(cursor, image, random));
  view.drop_handle();
}

TEST(Section, RandomTypesInRandomSections) {
  for (const std::uint32_t seed : test::seeds()) {
    Maker maker(seed);
    for (int i = 0; i < 3000; ++i) {
      maker.text.clear();
      const Sample sample = maker.make(static_cast<int>(maker.between(0, 3)));
      if (sample.model.bytes.empty() || sample.model.bytes.size() > 2000) continue;
      const_cast<Datatype&>(*sample.type).commit();
      check_view(sample, maker, maker.chance(3));
      if (testing::Test::HasFatalFailure()) {
        ADD_FAILURE() << "seed " << seed << ", type " << i << ": " << maker.text;
        return;
      }
    }
  }
}

TEST(Section, WhatIsContiguousIsMerged) {
  const auto simplified = [](std::vector<Section::Dimension> dimensions) {
    Section section{.base = nullptr, .block = 4, .dimensions = static_cast<int>(dimensions.size()), .dimension = {}};
    std::ranges::copy(dimensions, section.dimension.begin());
    section.simplify();
    return section;
  };
  Section whole_columns = simplified({{10, 4}, {3, 80}});
  EXPECT_EQ(whole_columns.block, 40);
  EXPECT_EQ(whole_columns.dimensions, 1);
  Section one_stride = simplified({{5, 8}, {3, 40}, {2, 120}});
  EXPECT_EQ(one_stride.dimensions, 1);
  EXPECT_EQ(one_stride.dimension[0].extent, 30);
  Section single_row = simplified({{1, 4}, {7, 40}});
  EXPECT_EQ(single_row.dimensions, 1);
  EXPECT_EQ(single_row.dimension[0].stride, 40);
}

// Memory of the program is not mistaken for a section, and elements in it lie as their type says.
TEST(Section, AViewOfMemoryIsItsType) {
  const Datatype& real = *predefined_datatype(0x210);
  Datatype& view = Datatype::view(real, Sections{});
  const float values[] = {1, 2, 3};
  float packed[3] = {};
  pack(view, 3, values, reinterpret_cast<std::byte*>(packed));
  EXPECT_TRUE(std::ranges::equal(values, packed));
  EXPECT_EQ(view.section_of(values), nullptr);
  EXPECT_EQ(view.description(), real.description());
  view.drop_handle();
}

TEST(Section, OperatorsAreDefinedForViewsAsForTheirTypes) {
  const Op& sum = *predefined_op(0x21);
  const Op& maxloc = *predefined_op(0x39);
  Datatype& real = Datatype::view(*predefined_datatype(0x210), Sections{});
  Datatype& pair = Datatype::view(*predefined_datatype(0x231), Sections{});
  EXPECT_TRUE(sum.supports(real));
  EXPECT_FALSE(sum.supports(pair));
  EXPECT_TRUE(maxloc.supports(pair));
  EXPECT_FALSE(maxloc.supports(real));
  real.drop_handle();
  pair.drop_handle();
}

}  // namespace
}  // namespace bowline::dtype
