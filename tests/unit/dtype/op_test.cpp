// SPDX-License-Identifier: BSD-3-Clause
// dtype/op: on which elements each operator is defined (MPI-5.0, section 6.9.2 and 6.9.4), told anew as a table of
// names.
#include "dtype/op.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dtype/predefined.hpp"

namespace bowline::dtype {
namespace {

using enum Element;

const std::vector<Element> integers = {i8,          i16,         i32,          i64,     u8,         u16,
                                       u32,         u64,         c_long,       c_ulong, fortran_i8, fortran_i16,
                                       fortran_i32, fortran_i64, fortran_i128, address};
const std::vector<Element> floats = {f32, f64, f80};
const std::vector<Element> complexes = {c32, c64, c80};
const std::vector<Element> logicals = {boolean, l8, l16, l32, l64, l128};
const std::vector<Element> pairs = {f32_i32, f64_i32, long_i32, i32_i32,        i16_i32,
                                    f80_i32, f32_f32, f64_f64,  fortran_i32_i32};

struct Row {
  Operator op;
  std::vector<std::vector<Element>> groups;
};

const std::vector<Row> defined = {
    {Operator::sum, {integers, floats, complexes}},
    {Operator::prod, {integers, floats, complexes}},
    {Operator::min, {integers, floats}},
    {Operator::max, {integers, floats}},
    {Operator::land, {integers, logicals}},
    {Operator::lor, {integers, logicals}},
    {Operator::lxor, {integers, logicals}},
    {Operator::band, {integers, {byte}}},
    {Operator::bor, {integers, {byte}}},
    {Operator::bxor, {integers, {byte}}},
    {Operator::minloc, {pairs}},
    {Operator::maxloc, {pairs}},
    {Operator::replace, {}},  // for one-sided accumulation only
    {Operator::no_op, {}},
};

bool is_defined(const Row& row, Element element) {
  return std::ranges::any_of(row.groups, [=](const auto& group) { return std::ranges::count(group, element) != 0; });
}

TEST(Op, IsDefinedExactlyWhereTheStandardSays) {
  ASSERT_EQ(defined.size(), operator_count);
  for (const Row& row : defined) {
    for (std::size_t i = 0; i < element_count; ++i) {
      const auto element = static_cast<Element>(i);
      EXPECT_EQ(find_kernel(row.op, element) != nullptr, is_defined(row, element))
          << "operator " << static_cast<int>(row.op) << ", element " << i;
    }
  }
}

TEST(Op, SupportsTheDatatypesOfItsElements) {
  const Op sum("MPI_SUM", Operator::sum);
  const Op maxloc("MPI_MAXLOC", Operator::maxloc);
  const Op replace("MPI_REPLACE", Operator::replace);
  const Datatype& integer = *predefined_datatype(0x209);    // MPI_INT
  const Datatype& pair = *predefined_datatype(0x22b);       // MPI_2INT
  const Datatype& character = *predefined_datatype(0x243);  // MPI_CHAR: printable, not a number
  EXPECT_TRUE(sum.supports(integer));
  EXPECT_FALSE(sum.supports(pair));
  EXPECT_FALSE(sum.supports(character));
  EXPECT_FALSE(sum.supports(byte_type()));
  EXPECT_TRUE(maxloc.supports(pair));
  EXPECT_FALSE(maxloc.supports(integer));
  EXPECT_FALSE(replace.supports(integer));
}

TEST(Op, AppliesFromTheLeftIntoTheSecondBuffer) {
  const Op sum("MPI_SUM", Operator::sum);
  const int left[3] = {1, 2, 3};
  int right[3] = {10, 20, 30};
  sum.apply(left, right, 2, *predefined_datatype(0x209));
  EXPECT_EQ(right[0], 11);
  EXPECT_EQ(right[1], 22);
  EXPECT_EQ(right[2], 30) << "beyond the count";
  EXPECT_EQ(left[0], 1);
}

}  // namespace
}  // namespace bowline::dtype
