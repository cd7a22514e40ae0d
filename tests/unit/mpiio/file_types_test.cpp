// SPDX-License-Identifier: BSD-3-Clause
// mpiio/view: datatypes and data as they are in a file of another representation.
#include "mpiio/view/file_types.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "mpiio/view/representation.hpp"
#include "support/owned_type.hpp"

namespace bowline::mpiio {
namespace {

using dtype::Combiner;
using dtype::Datatype;
using dtype::TypeRef;
using test::committed;

// A handle of the standard ABI (MPI-5.0, section 20.3).
const Datatype& int32_type() {
  return *dtype::predefined_datatype(0x250);
}

TypeRef vector_of(const Datatype& inner, std::int64_t count, std::int64_t length, std::int64_t stride) {
  dtype::Envelope given{.combiner = Combiner::vector, .large = true};
  given.counts = {count, length, stride};
  return committed(dtype::compose(std::move(given), inner));
}

TypeRef indexed_bytes(const Datatype& inner, std::int64_t displacement) {
  dtype::Envelope given{.combiner = Combiner::hindexed, .large = true};
  given.counts = {1, 2, displacement};
  return committed(dtype::compose(std::move(given), inner));
}

TEST(FileTypes, StridesInElementsGrowAndThoseInBytesStay) {
  const auto twice = [](const Datatype& basic) { return 2 * basic.size(); };
  const Datatype& basic = int32_type();
  const auto bytes = static_cast<std::int64_t>(basic.size());
  const TypeRef strided = vector_of(basic, 3, 1, 2);
  const TypeRef in_file = with_file_sizes(*strided, twice);
  EXPECT_EQ(in_file->size(), 2 * strided->size());
  EXPECT_EQ(in_file->extent(), 2 * strided->extent());
  const TypeRef placed = indexed_bytes(basic, 100);
  const TypeRef placed_in_file = with_file_sizes(*placed, twice);
  EXPECT_EQ(placed_in_file->origin(), 100);
  EXPECT_EQ(placed_in_file->extent(), 4 * bytes);
}

TEST(FileTypes, CountMemoryOfWholeElements) {
  const Datatype& basic = int32_type();
  const TypeRef in_file = with_file_sizes(basic, [](const Datatype& each) { return 2 * each.size(); });
  const std::size_t each = basic.size();
  EXPECT_EQ(memory_bytes(basic, *in_file, 0), 0U);
  EXPECT_EQ(memory_bytes(basic, *in_file, 2 * each - 1), 0U);
  EXPECT_EQ(memory_bytes(basic, *in_file, 2 * each), each);
  EXPECT_EQ(memory_bytes(basic, *in_file, 7 * each), 3 * each);
}

TEST(Representation, External32StoresTheHighestByteFirst) {
  const auto external = find_representation("external32");
  ASSERT_NE(external, nullptr);
  EXPECT_FALSE(external->native());
  const Datatype& basic = int32_type();
  const std::array<std::uint32_t, 2> values = {0x01020304, 0x0a0b0c0d};
  std::array<std::byte, 8> file{};
  external->to_file(basic, 2, values.data(), file.data());
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(file[i], static_cast<std::byte>(i < 4 ? i + 1 : i - 4 + 0xa)) << i;
  std::array<std::uint32_t, 2> back{};
  external->from_file(basic, 2, file.data(), back.data());
  EXPECT_EQ(back, values);
}

TEST(Representation, AreRegisteredOnce) {
  EXPECT_TRUE(find_representation("native")->native());
  EXPECT_TRUE(find_representation("internal")->native());
  EXPECT_EQ(find_representation("half"), nullptr);
  ConversionFunctions functions;
  functions.extent = [](const Datatype& type, std::ptrdiff_t* bytes) {
    *bytes = static_cast<std::ptrdiff_t>(type.size());
    return 0;
  };
  register_representation("half", functions);
  EXPECT_NE(find_representation("half"), nullptr);
  const auto refused = [&](const std::string& name) {
    try {
      register_representation(name, functions);
      return ErrorClass::success;
    } catch (const Error& error) {
      return error.error_class();
    }
  };
  EXPECT_EQ(refused("half"), ErrorClass::dup_datarep);
  EXPECT_EQ(refused("native"), ErrorClass::dup_datarep);
  EXPECT_EQ(refused(""), ErrorClass::arg);
  EXPECT_EQ(refused(std::string(longest_name + 1, 'x')), ErrorClass::arg);
  EXPECT_EQ(refused(std::string(longest_name, 'x')), ErrorClass::success);
}

TEST(Representation, ConvertsInPartsAndReportsFailures) {
  std::vector<std::pair<std::size_t, std::size_t>> calls;  // position and count
  int result = 0;
  ConversionFunctions functions;
  functions.most_at_once = 3;
  functions.extent = [](const Datatype& type, std::ptrdiff_t* bytes) {
    *bytes = static_cast<std::ptrdiff_t>(type.size());
    return 0;
  };
  functions.write = [&](void* user, const Datatype& type, std::size_t count, void* file, std::size_t position) {
    calls.emplace_back(position, count);
    std::memcpy(file, static_cast<std::byte*>(user) + position * type.size(), count * type.size());
    return result;
  };
  register_representation("parts", functions);
  const auto found = find_representation("parts");
  std::array<std::byte, 8> memory{};
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i);
  std::array<std::byte, 8> file{};
  found->to_file(dtype::byte_type(), 8, memory.data(), file.data());
  EXPECT_EQ(file, memory);
  EXPECT_EQ(calls, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 3}, {3, 3}, {6, 2}}));
  result = 1;
  EXPECT_THROW(found->to_file(dtype::byte_type(), 8, memory.data(), file.data()), Error);
  // No function to read: the bytes are taken as they are.
  std::array<std::byte, 8> back{};
  found->from_file(dtype::byte_type(), 8, file.data(), back.data());
  EXPECT_EQ(back, memory);
}

}  // namespace
}  // namespace bowline::mpiio
