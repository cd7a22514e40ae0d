// SPDX-License-Identifier: BSD-3-Clause
// dtype/f90: the kinds that compilers choose. tests/fortran/kinds.F90 compares them with those of a compiler.
#include "dtype/f90.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "dtype/predefined.hpp"

namespace bowline::dtype {
namespace {

using Limit = std::optional<int>;

constexpr bool x87 = std::numeric_limits<long double>::digits == 64;

const Datatype* real(Limit digits, Limit range) {
  return f90_type(Combiner::f90_real, digits, range,
                  {.combiner = Combiner::f90_real, .integers = {digits.value_or(-1), range.value_or(-1)}});
}
const Datatype* complex_type(Limit digits, Limit range) {
  return f90_type(Combiner::f90_complex, digits, range,
                  {.combiner = Combiner::f90_complex, .integers = {digits.value_or(-1), range.value_or(-1)}});
}

TEST(FortranKinds, ExtendedPrecisionIsTheLongDoubleOfTheX87) {
  const Element extended = x87 ? Element::f80 : Element::f128, extended_complex = x87 ? Element::c80 : Element::c128;
  for (const auto& [digits, range] : {std::pair<Limit, Limit>{16, {}}, {18, {}}, {15, 400}, {{}, 308}, {18, 4931}}) {
    EXPECT_EQ(real(digits, range)->element(), extended);
    EXPECT_EQ(complex_type(digits, range)->element(), extended_complex);
  }
  for (const auto& [digits, range] : {std::pair<Limit, Limit>{19, {}}, {33, 4931}}) {
    EXPECT_EQ(real(digits, range)->element(), Element::f128);
    EXPECT_EQ(complex_type(digits, range)->element(), Element::c128);
  }
  EXPECT_EQ(real(15, 307)->element(), Element::f64);
  EXPECT_EQ(real(6, 37)->element(), Element::f32);
  EXPECT_EQ(real(34, {}), nullptr);
  EXPECT_EQ(real({}, 4932), nullptr);
}

TEST(FortranKinds, SixteenBitsAreChosenWhereTheCompilerHasThem) {
  EXPECT_EQ(real(3, 4)->element(), Element::f32);
  fortran_has_half_kinds(true);
  const Datatype* const half = real(3, 4);
  const Datatype* const half_complex = complex_type({}, 4);
  const Datatype* const exponent_of_8_bits = real(2, 5);
  const Datatype* const single = real(3, 5);
  fortran_has_half_kinds(false);
  EXPECT_EQ(half->element(), Element::f16);
  EXPECT_EQ(half_complex->element(), Element::c16);
  EXPECT_EQ(exponent_of_8_bits, nullptr) << "MPI has no such type";
  EXPECT_EQ(single->element(), Element::f32);
  EXPECT_EQ(real(2, 5)->element(), Element::f32);
}

TEST(FortranKinds, BytesAreThoseOfTheNamedTypes) {
  EXPECT_EQ(type_of_size(TypeClass::real, 16)->element(), Element::f128) << "not the long double of as many bytes";
  EXPECT_EQ(type_of_size(TypeClass::complex, 32)->element(), Element::c128);
  EXPECT_EQ(type_of_size(TypeClass::real, 2)->element(), Element::f16);
  EXPECT_EQ(type_of_size(TypeClass::complex, 4)->element(), Element::c16);
  EXPECT_EQ(type_of_size(TypeClass::real, 3), nullptr);
}

}  // namespace
}  // namespace bowline::dtype
