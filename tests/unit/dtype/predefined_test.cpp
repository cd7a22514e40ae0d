// SPDX-License-Identifier: BSD-3-Clause
// dtype/predefined: exactly the handles of the standard's table, each with the size and extent of its C or Fortran
// type.
#include "dtype/predefined.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "listed_handles.hpp"

namespace bowline::dtype {
namespace {

struct SizeAndExtent {
  std::size_t size;
  std::size_t extent;
};

template <class T>
constexpr SizeAndExtent plain{sizeof(T), sizeof(T)};

template <class Value, class Index>
struct Parts {
  Value value;
  Index index;
};
template <class Value, class Index = int>
constexpr SizeAndExtent parts{sizeof(Value) + sizeof(Index), sizeof(Parts<Value, Index>)};

constexpr SizeAndExtent bytes(std::size_t n) {
  return {n, n};
}

const std::map<std::string_view, SizeAndExtent> layouts = {
    {"MPI_AINT", plain<std::intptr_t>},
    {"MPI_COUNT", plain<std::int64_t>},
    {"MPI_OFFSET", plain<std::int64_t>},
    {"MPI_PACKED", bytes(1)},
    {"MPI_SHORT", plain<short>},
    {"MPI_INT", plain<int>},
    {"MPI_LONG", plain<long>},
    {"MPI_LONG_LONG", plain<long long>},
    {"MPI_UNSIGNED_SHORT", plain<unsigned short>},
    {"MPI_UNSIGNED", plain<unsigned>},
    {"MPI_UNSIGNED_LONG", plain<unsigned long>},
    {"MPI_UNSIGNED_LONG_LONG", plain<unsigned long long>},
    {"MPI_FLOAT", plain<float>},
    {"MPI_C_FLOAT_COMPLEX", plain<std::complex<float>>},
    {"MPI_CXX_FLOAT_COMPLEX", plain<std::complex<float>>},
    {"MPI_DOUBLE", plain<double>},
    {"MPI_C_DOUBLE_COMPLEX", plain<std::complex<double>>},
    {"MPI_CXX_DOUBLE_COMPLEX", plain<std::complex<double>>},
    {"MPI_LONG_DOUBLE", plain<long double>},
    {"MPI_C_LONG_DOUBLE_COMPLEX", plain<std::complex<long double>>},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", plain<std::complex<long double>>},
    {"MPI_C_BOOL", plain<bool>},
    {"MPI_CXX_BOOL", plain<bool>},
    {"MPI_WCHAR", plain<wchar_t>},
    {"MPI_CHAR", plain<char>},
    {"MPI_SIGNED_CHAR", plain<signed char>},
    {"MPI_UNSIGNED_CHAR", plain<unsigned char>},
    {"MPI_BYTE", bytes(1)},
    {"MPI_INT8_T", plain<std::int8_t>},
    {"MPI_UINT8_T", plain<std::uint8_t>},
    {"MPI_INT16_T", plain<std::int16_t>},
    {"MPI_UINT16_T", plain<std::uint16_t>},
    {"MPI_INT32_T", plain<std::int32_t>},
    {"MPI_UINT32_T", plain<std::uint32_t>},
    {"MPI_INT64_T", plain<std::int64_t>},
    {"MPI_UINT64_T", plain<std::uint64_t>},
    // Fortran's default kinds, as gfortran and every other compiler here has them.
    {"MPI_LOGICAL", bytes(4)},
    {"MPI_INTEGER", bytes(4)},
    {"MPI_REAL", bytes(4)},
    {"MPI_COMPLEX", bytes(8)},
    {"MPI_DOUBLE_PRECISION", bytes(8)},
    {"MPI_DOUBLE_COMPLEX", bytes(16)},
    {"MPI_CHARACTER", bytes(1)},
    // Fortran's sized kinds: the number in the name is the size of the whole.
    {"MPI_LOGICAL1", bytes(1)},
    {"MPI_LOGICAL2", bytes(2)},
    {"MPI_LOGICAL4", bytes(4)},
    {"MPI_LOGICAL8", bytes(8)},
    {"MPI_LOGICAL16", bytes(16)},
    {"MPI_INTEGER1", bytes(1)},
    {"MPI_INTEGER2", bytes(2)},
    {"MPI_INTEGER4", bytes(4)},
    {"MPI_INTEGER8", bytes(8)},
    {"MPI_INTEGER16", bytes(16)},
    {"MPI_REAL2", bytes(2)},
    {"MPI_REAL4", bytes(4)},
    {"MPI_REAL8", bytes(8)},
    {"MPI_REAL16", bytes(16)},
    {"MPI_COMPLEX4", bytes(4)},
    {"MPI_COMPLEX8", bytes(8)},
    {"MPI_COMPLEX16", bytes(16)},
    {"MPI_COMPLEX32", bytes(32)},
    {"MPI_FLOAT_INT", parts<float>},
    {"MPI_DOUBLE_INT", parts<double>},
    {"MPI_LONG_INT", parts<long>},
    {"MPI_2INT", parts<int>},
    {"MPI_SHORT_INT", parts<short>},
    {"MPI_LONG_DOUBLE_INT", parts<long double>},
    {"MPI_2REAL", parts<float, float>},
    {"MPI_2DOUBLE_PRECISION", parts<double, double>},
    {"MPI_2INTEGER", parts<int>},
};

TEST(Predefined, TheStandardsTableIsHere) {
  // Would the generated list be empty, the other tests would prove nothing.
  EXPECT_EQ(std::ranges::count(listed_handles, "MPI_Datatype", &ListedHandle::type), 71);
  EXPECT_EQ(std::ranges::count(listed_handles, "MPI_Op", &ListedHandle::type), 15);
}

TEST(Predefined, EveryDatatypeIsFoundWithItsLayout) {
  std::set<std::string_view> seen;
  for (const ListedHandle& handle : listed_handles) {
    if (!is(handle, "MPI_Datatype")) continue;
    const Datatype* const type = predefined_datatype(handle.value);
    ASSERT_NE(type, nullptr) << handle.name;
    EXPECT_EQ(type->name(), handle.name);
    EXPECT_TRUE(type->committed());
    const auto layout = layouts.find(handle.name);
    ASSERT_NE(layout, layouts.end()) << handle.name << " is new: add its layout to this test";
    EXPECT_EQ(type->size(), layout->second.size) << handle.name;
    EXPECT_EQ(static_cast<std::size_t>(type->extent()), layout->second.extent) << handle.name;
    EXPECT_EQ(type->contiguous(), type->size() == layout->second.extent) << handle.name;
    seen.insert(handle.name);
  }
  EXPECT_EQ(seen.size(), layouts.size());
}

TEST(Predefined, BlocksLieInTheElementAndAddUpToItsSize) {
  for (const ListedHandle& handle : listed_handles) {
    const Datatype* const type = predefined_datatype(handle.value);
    if (type == nullptr) continue;
    std::size_t data = 0;
    std::ptrdiff_t end = 0;
    for (const Block& block : type->blocks()) {
      EXPECT_GE(block.offset, end) << handle.name;
      end = block.offset + static_cast<std::ptrdiff_t>(block.length);
      data += block.length;
    }
    EXPECT_LE(end, type->extent()) << handle.name;
    EXPECT_EQ(data, type->size()) << handle.name;
  }
}

TEST(Predefined, EveryOperatorIsFound) {
  for (const ListedHandle& handle : listed_handles) {
    if (!is(handle, "MPI_Op")) continue;
    const Op* const op = predefined_op(handle.value);
    ASSERT_NE(op, nullptr) << handle.name;
    EXPECT_EQ(op->name(), handle.name);
  }
}

TEST(Predefined, NoOtherNumberIsADatatypeOrAnOperator) {
  std::set<std::uintptr_t> types;
  std::set<std::uintptr_t> ops;
  for (const ListedHandle& handle : listed_handles) {
    if (handle.name.ends_with("_NULL")) continue;
    (handle.type == "MPI_Op" ? ops : types).insert(handle.value);
  }
  for (std::uintptr_t value = 0; value < 0x2000; ++value) {
    EXPECT_EQ(predefined_datatype(value) != nullptr, types.contains(value)) << value;
    EXPECT_EQ(predefined_op(value) != nullptr, ops.contains(value)) << value;
  }
  for (const std::uintptr_t value :
       {UINTPTR_MAX, UINTPTR_MAX - 0x1ff, std::uintptr_t{1} << 32, std::uintptr_t{1} << 63}) {
    EXPECT_EQ(predefined_datatype(value), nullptr) << value;
    EXPECT_EQ(predefined_op(value), nullptr) << value;
  }
}

TEST(Predefined, TheLibraryCountsInBytes) {
  EXPECT_STREQ(byte_type().name(), "MPI_BYTE");
  EXPECT_EQ(byte_type().size(), 1U);
  EXPECT_TRUE(byte_type().contiguous());
}

}  // namespace
}  // namespace bowline::dtype
