// SPDX-License-Identifier: BSD-3-Clause
// dtype/op: every predefined operator on every predefined datatype, held against the tables of the standard (MPI-5.0,
// sections 6.9.2 and 6.9.4), copied here name by name; operators of the user and how long they live.
#include "dtype/op.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <vector>

#include "dtype/predefined.hpp"
#include "listed_handles.hpp"

namespace bowline::dtype {
namespace {

using Names = std::vector<std::string_view>;

const Names c_integer = {"MPI_INT",         "MPI_LONG",          "MPI_SHORT",     "MPI_UNSIGNED_SHORT",
                         "MPI_UNSIGNED",    "MPI_UNSIGNED_LONG", "MPI_LONG_LONG", "MPI_UNSIGNED_LONG_LONG",
                         "MPI_SIGNED_CHAR", "MPI_UNSIGNED_CHAR", "MPI_INT8_T",    "MPI_INT16_T",
                         "MPI_INT32_T",     "MPI_INT64_T",       "MPI_UINT8_T",   "MPI_UINT16_T",
                         "MPI_UINT32_T",    "MPI_UINT64_T"};
const Names fortran_integer = {"MPI_INTEGER",  "MPI_INTEGER1", "MPI_INTEGER2",
                               "MPI_INTEGER4", "MPI_INTEGER8", "MPI_INTEGER16"};
const Names floating_point = {"MPI_FLOAT",       "MPI_DOUBLE", "MPI_REAL",  "MPI_DOUBLE_PRECISION",
                              "MPI_LONG_DOUBLE", "MPI_REAL2",  "MPI_REAL4", "MPI_REAL8",
                              "MPI_REAL16"};
const Names logical = {"MPI_LOGICAL",  "MPI_C_BOOL",   "MPI_CXX_BOOL", "MPI_LOGICAL1",
                       "MPI_LOGICAL2", "MPI_LOGICAL4", "MPI_LOGICAL8", "MPI_LOGICAL16"};
const Names complex = {"MPI_COMPLEX",
                       "MPI_C_FLOAT_COMPLEX",
                       "MPI_C_DOUBLE_COMPLEX",
                       "MPI_C_LONG_DOUBLE_COMPLEX",
                       "MPI_CXX_FLOAT_COMPLEX",
                       "MPI_CXX_DOUBLE_COMPLEX",
                       "MPI_CXX_LONG_DOUBLE_COMPLEX",
                       "MPI_DOUBLE_COMPLEX",
                       "MPI_COMPLEX4",
                       "MPI_COMPLEX8",
                       "MPI_COMPLEX16",
                       "MPI_COMPLEX32"};
const Names byte = {"MPI_BYTE"};
const Names multi_language = {"MPI_AINT", "MPI_OFFSET", "MPI_COUNT"};
const Names pair = {"MPI_FLOAT_INT",        "MPI_DOUBLE_INT", "MPI_LONG_INT",        "MPI_2INT",
                    "MPI_SHORT_INT",        "MPI_2REAL",      "MPI_LONG_DOUBLE_INT", "MPI_2INTEGER",
                    "MPI_2DOUBLE_PRECISION"};
// In no group, so no operator is defined on them.
const Names character = {"MPI_CHAR", "MPI_CHARACTER"};
const Names without_arithmetic = {"MPI_WCHAR", "MPI_PACKED"};

const std::map<std::string_view, std::vector<Names>> allowed = {
    {"MPI_MAX", {c_integer, fortran_integer, floating_point, multi_language}},
    {"MPI_MIN", {c_integer, fortran_integer, floating_point, multi_language}},
    {"MPI_SUM", {c_integer, fortran_integer, floating_point, complex, multi_language}},
    {"MPI_PROD", {c_integer, fortran_integer, floating_point, complex, multi_language}},
    {"MPI_LAND", {c_integer, logical}},
    {"MPI_LOR", {c_integer, logical}},
    {"MPI_LXOR", {c_integer, logical}},
    {"MPI_BAND", {c_integer, fortran_integer, byte, multi_language}},
    {"MPI_BOR", {c_integer, fortran_integer, byte, multi_language}},
    {"MPI_BXOR", {c_integer, fortran_integer, byte, multi_language}},
    {"MPI_MINLOC", {pair}},
    {"MPI_MAXLOC", {pair}},
    {"MPI_REPLACE", {}},  // both only in one-sided accumulation
    {"MPI_NO_OP", {}},
};

// Where other libraries take operators that the standard does not define.
const std::map<std::string_view, std::vector<Names>> understood_too = {
    {"MPI_MAX", {character, byte}},
    {"MPI_MIN", {character, byte}},
    {"MPI_SUM", {character, byte}},
    {"MPI_PROD", {character, byte}},
    {"MPI_LAND", {character, byte, fortran_integer, multi_language, floating_point}},
    {"MPI_LOR", {character, byte, fortran_integer, multi_language, floating_point}},
    {"MPI_LXOR", {character, byte, fortran_integer, multi_language, floating_point}},
    {"MPI_BAND", {character}},
    {"MPI_BOR", {character}},
    {"MPI_BXOR", {character}},
    {"MPI_MINLOC", {}},
    {"MPI_MAXLOC", {}},
    {"MPI_REPLACE", {}},
    {"MPI_NO_OP", {}},
};

bool in_any(const std::vector<Names>& groups, std::string_view name) {
  return std::ranges::any_of(groups, [=](const Names& group) { return std::ranges::count(group, name) != 0; });
}

TEST(Op, EveryDatatypeIsInOneGroup) {
  const std::vector<Names> groups = {c_integer, fortran_integer, floating_point, logical,   complex,
                                     byte,      multi_language,  pair,           character, without_arithmetic};
  for (const ListedHandle& handle : listed_handles) {
    if (!is(handle, "MPI_Datatype")) continue;
    EXPECT_EQ(std::ranges::count_if(groups, [&](const Names& group) { return in_any({group}, handle.name); }), 1)
        << handle.name << ": put it where MPI-5.0, section 6.9.2, has it";
  }
}

/// Whether an operator has a meaning exactly on the types that `expected` says, by the names of both.
template <class Expected>
void expect_supported(Expected expected) {
  std::size_t pairs = 0;
  for (const ListedHandle& op_handle : listed_handles) {
    if (!is(op_handle, "MPI_Op")) continue;
    const Op& op = *predefined_op(op_handle.value);
    for (const ListedHandle& type_handle : listed_handles) {
      if (!is(type_handle, "MPI_Datatype")) continue;
      const Datatype& type = *predefined_datatype(type_handle.value);
      EXPECT_EQ(op.supports(type), expected(op_handle.name, type_handle.name))
          << op_handle.name << " on " << type_handle.name;
      EXPECT_EQ(op.understood_on(type), in_any(understood_too.at(op_handle.name), type_handle.name))
          << op_handle.name << " on " << type_handle.name;
      const bool one_sided_only = op_handle.name == "MPI_REPLACE" || op_handle.name == "MPI_NO_OP";
      EXPECT_EQ(op.accumulates(type), op.supports(type) || one_sided_only)
          << op_handle.name << " on " << type_handle.name;
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, 14U * 70U);
}

TEST(Op, HasAMeaningWhereTheStandardOrOtherLibrariesGiveItOne) {
  expect_supported([](std::string_view op, std::string_view type) {
    return in_any(allowed.at(op), type) || in_any(understood_too.at(op), type);
  });
}

TEST(Op, IsDefinedExactlyWhereTheStandardSaysOnRequest) {
  keep_operators_to_the_standard(true);
  expect_supported([](std::string_view op, std::string_view type) { return in_any(allowed.at(op), type); });
  keep_operators_to_the_standard(false);
  EXPECT_TRUE(predefined_op(0x21)->supports(*predefined_datatype(0x243))) << "MPI_SUM on MPI_CHAR";
}

TEST(Op, AllButReplaceAndNoOpAreCommutative) {
  for (const ListedHandle& handle : listed_handles) {
    if (!is(handle, "MPI_Op")) continue;
    EXPECT_EQ(predefined_op(handle.value)->commutative(), handle.name != "MPI_REPLACE" && handle.name != "MPI_NO_OP")
        << handle.name;
  }
}

const Datatype& mpi_int() {
  return *predefined_datatype(0x209);
}

TEST(Op, AppliesFromTheLeftIntoTheSecondBuffer) {
  const Op sum("MPI_SUM", Operator::sum);
  const int left[3] = {1, 2, 3};
  int right[3] = {10, 20, 30};
  sum.apply(left, right, 2, mpi_int());
  EXPECT_EQ(right[0], 11);
  EXPECT_EQ(right[1], 22);
  EXPECT_EQ(right[2], 30) << "beyond the count";
  EXPECT_EQ(left[0], 1);
}

TEST(Op, ReplaceTakesTheLeftAndNoOpLeavesTheRight) {
  const int left[2] = {1, 2};
  int right[2] = {10, 20};
  Op("MPI_NO_OP", Operator::no_op).apply(left, right, 2, mpi_int());
  EXPECT_EQ(right[0], 10);
  Op("MPI_REPLACE", Operator::replace).apply(left, right, 1, mpi_int());
  EXPECT_EQ(right[0], 1);
  EXPECT_EQ(right[1], 20);
}

TEST(Op, LongRunsAreRightAtEveryAlignment) {
  const Op sum("MPI_SUM", Operator::sum);
  constexpr std::size_t n = 3000;
  for (std::size_t shift = 0; shift < 20; ++shift) {
    std::vector<std::int32_t> left(n + shift);
    std::vector<std::int32_t> right(n + shift + 1);
    for (std::size_t i = 0; i < n; ++i) {
      left[shift + i] = static_cast<std::int32_t>(i);
      right[shift + i] = static_cast<std::int32_t>(2 * i);
    }
    right.back() = -1;
    sum.apply(left.data() + shift, right.data() + shift, n, mpi_int());
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(right[shift + i], static_cast<std::int32_t>(3 * i)) << shift;
    EXPECT_EQ(right.back(), -1);
  }
}

/// Says what it was called with.
struct Calls {
  std::size_t count = 0;
  const Datatype* type = nullptr;
  int times = 0;
};

void subtract(void* context, const void* in, void* inout, std::size_t count, const Datatype& type) {
  auto& calls = *static_cast<Calls*>(context);
  calls = {count, &type, calls.times + 1};
  for (std::size_t i = 0; i < count; ++i) {
    int& result = static_cast<int*>(inout)[i];
    result = static_cast<const int*>(in)[i] - result;
  }
}

TEST(UserOp, GetsOperandsCountAndTypeAsTheyAre) {
  Calls calls;
  Op& op = Op::make({subtract, &calls}, false);
  EXPECT_FALSE(op.predefined());
  EXPECT_FALSE(op.commutative());
  EXPECT_TRUE(op.supports(*predefined_datatype(0x243))) << "MPI_CHAR: the user's function knows what it means";
  EXPECT_FALSE(op.accumulates(mpi_int()));
  const int left[2] = {1, 2};
  int right[2] = {10, 20};
  op.apply(left, right, 2, mpi_int());
  EXPECT_EQ(right[0], -9);
  EXPECT_EQ(right[1], -18);
  EXPECT_EQ(calls.count, 2U);
  EXPECT_EQ(calls.type, &mpi_int());
  op.apply(left, right, 0, mpi_int());
  EXPECT_EQ(calls.times, 1) << "nothing to combine";
  op.drop_handle();
}

TEST(UserOp, LivesAsLongAsItIsUsed) {
  Calls calls;
  Op& op = Op::make({subtract, &calls}, true);
  {
    const OpRef in_use(op);
    op.drop_handle();
    EXPECT_FALSE(op.alive()) << "its handle is no longer one";
    Op& other = Op::make({subtract, &calls}, true);
    EXPECT_NE(&other, &op) << "the memory is still in use";
    const int left = 5;
    int right = 3;
    in_use->apply(&left, &right, 1, mpi_int());
    EXPECT_EQ(right, 2);
    other.drop_handle();
  }
  EXPECT_FALSE(op.alive());
}

}  // namespace
}  // namespace bowline::dtype
