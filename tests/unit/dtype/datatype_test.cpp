// SPDX-License-Identifier: BSD-3-Clause
// dtype/datatype: packing and unpacking, with holes between the parts and a last element that is cut anywhere.
#include "dtype/datatype.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "dtype/predefined.hpp"
#include "support/untouched.hpp"

namespace bowline::dtype {
namespace {

using test::untouched;

std::vector<const Datatype*> all_types() {
  std::vector<const Datatype*> types;
  for (std::uintptr_t value = 0x200; value < 0x300; ++value) {
    if (const Datatype* type = predefined_datatype(value)) types.push_back(type);
  }
  return types;
}

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>((i * 167 + i / 251) % 0xee);
  return data;
}

/// Where the data bytes of `count` elements lie, in the order of the type map: the definition of packing.
std::vector<std::size_t> places(const Datatype& type, std::size_t count) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < count; ++i) {
    for (const Block& block : type.blocks()) {
      for (std::size_t j = 0; j < block.length; ++j) {
        found.push_back(i * static_cast<std::size_t>(type.extent()) + static_cast<std::size_t>(block.offset) + j);
      }
    }
  }
  return found;
}

TEST(Datatype, PackTakesTheDataBytesInOrder) {
  for (const Datatype* type : all_types()) {
    for (const std::size_t count : {0, 1, 2, 7}) {
      const std::vector<std::byte> memory = pattern(count * static_cast<std::size_t>(type->extent()));
      std::vector<std::byte> stream(count * type->size() + 1, untouched);
      pack(*type, count, memory.data(), stream.data());
      const auto data = places(*type, count);
      ASSERT_EQ(data.size(), stream.size() - 1) << type->name();
      for (std::size_t i = 0; i < data.size(); ++i)
        ASSERT_EQ(stream[i], memory[data[i]]) << type->name() << " at " << i;
      EXPECT_EQ(stream.back(), untouched) << type->name() << ": packed beyond the end";
    }
  }
}

TEST(Datatype, UnpackStoresAnyNumberOfBytesAndLeavesTheHoles) {
  constexpr std::size_t count = 3;
  for (const Datatype* type : all_types()) {
    const std::vector<std::byte> whole = pattern(count * type->size());
    const auto data = places(*type, count);
    for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
      // A stream of exactly these bytes, so that reading beyond it is seen by AddressSanitizer.
      const std::vector<std::byte> stream(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
      std::vector<std::byte> expected(count * static_cast<std::size_t>(type->extent()), untouched);
      for (std::size_t i = 0; i < bytes; ++i) expected[data[i]] = whole[i];
      std::vector<std::byte> memory(expected.size(), untouched);
      unpack(*type, stream.data(), bytes, memory.data());
      ASSERT_EQ(memory, expected) << type->name() << ", " << bytes << " bytes";
    }
  }
}

TEST(Datatype, PairsWithHolesAreNotContiguous) {
  struct DoubleInt {
    double value;
    int index;
  };
  const Datatype& type = *predefined_datatype(0x229);  // MPI_DOUBLE_INT
  EXPECT_FALSE(type.contiguous());
  const DoubleInt sent[2] = {{1.5, 7}, {-2.25, -9}};
  std::byte stream[2 * 12];
  pack(type, 2, sent, stream);
  double second_value = 0;
  int first_index = 0;
  std::memcpy(&first_index, stream + 8, sizeof first_index);
  std::memcpy(&second_value, stream + 12, sizeof second_value);
  EXPECT_EQ(first_index, 7);
  EXPECT_EQ(second_value, -2.25);
  DoubleInt received[2] = {};
  unpack(type, stream, sizeof stream, received);
  EXPECT_EQ(received[1].value, -2.25);
  EXPECT_EQ(received[1].index, -9);
}

TEST(Datatype, ASingleBlockWithAHoleBehindItIsNotContiguous) {
  const Datatype padded("padded", Element::byte, {{0, 3}}, 4);
  EXPECT_FALSE(padded.contiguous());
  const Datatype shifted("shifted", Element::byte, {{1, 3}}, 3);
  EXPECT_TRUE(shifted.contiguous());
  EXPECT_EQ(shifted.origin(), 1);
  const Datatype dense("dense", Element::byte, {{0, 3}}, 3);
  EXPECT_TRUE(dense.contiguous());
  EXPECT_EQ(padded.size(), 3U);
  EXPECT_EQ(padded.extent(), 4);
}

}  // namespace
}  // namespace bowline::dtype
