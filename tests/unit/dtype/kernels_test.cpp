// SPDX-License-Identifier: BSD-3-Clause
// dtype/kernels: each operator on each element, in each instruction set that this processor has, against the plain
// meaning of the operator, with the values at which implementations go wrong: extremes, wrap-around, ties, zero and
// non-zero truth values.
#include "dtype/kernels/kernels.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#include "dtype/native.hpp"
#include "support/seed.hpp"

namespace bowline::dtype {
namespace {

/// std::vector<bool> is no array, so elements live in plain memory.
template <class T>
struct Operands {
  std::unique_ptr<T[]> left, right;
  std::size_t count;
};

template <class T>
Operands<T> all_pairs(const std::vector<T>& values) {
  const std::size_t n = values.size();
  Operands<T> operands{std::make_unique<T[]>(n * n), std::make_unique<T[]>(n * n), n * n};
  for (std::size_t i = 0; i < n * n; ++i) {
    operands.left[i] = values[i / n];
    operands.right[i] = values[i % n];
  }
  return operands;
}

template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}
bool same(Half a, Half b) {
  return static_cast<float>(a) == static_cast<float>(b);
}
template <class Value, class Index>
bool same(const Pair<Value, Index>& a, const Pair<Value, Index>& b) {
  return a.value == b.value && a.index == b.index;
}

template <class T, class Naive>
void expect_naive(Operator op, Element element, const std::vector<T>& values, Naive naive) {
  const Operands<T> operands = all_pairs(values);
  ASSERT_NE(baseline_kernels[static_cast<std::size_t>(op)][static_cast<std::size_t>(element)], nullptr);
  for (std::size_t set = 0; set < static_cast<std::size_t>(InstructionSet::count_); ++set) {
    if (!available(static_cast<InstructionSet>(set))) continue;
    const Kernel kernel =
        kernels_for(static_cast<InstructionSet>(set))[static_cast<std::size_t>(op)][static_cast<std::size_t>(element)];
    if (kernel == nullptr) continue;  // these instructions would be no faster
    const auto result = std::make_unique<T[]>(operands.count);
    std::memcpy(static_cast<void*>(result.get()), operands.right.get(), operands.count * sizeof(T));
    kernel(operands.left.get(), result.get(), operands.count);
    for (std::size_t i = 0; i < operands.count; ++i) {
      const T expected = naive(operands.left[i], operands.right[i]);
      EXPECT_TRUE(same(result[i], expected)) << "operator " << static_cast<int>(op) << ", element "
                                             << static_cast<int>(element) << ", set " << set << ", pair " << i;
    }
  }
}

// ---- integers

/// The result modulo 2^bits, computed in 128 bits: what wrapping around means.
template <class T, class F>
T modulo(T a, T b, F operation) {
  return static_cast<T>(operation(static_cast<Unsigned128>(a), static_cast<Unsigned128>(b)));
}

template <class T>
std::vector<T> integer_values(T least, T most) {
  std::vector<T> values = {least,
                           static_cast<T>(least + 1),
                           T{0},
                           T{1},
                           T{2},
                           T{3},
                           T{100},
                           static_cast<T>(most / 2),
                           static_cast<T>(most / 2 + 1),
                           static_cast<T>(most - 1),
                           most};
  if (least < 0) values.insert(values.end(), {static_cast<T>(-1), static_cast<T>(-2), static_cast<T>(-77)});
  return values;
}

template <class T>
void check_integer(Element element, T least, T most) {
  const std::vector<T> values = integer_values(least, most);
  const auto check = [&](Operator op, auto naive) { expect_naive<T>(op, element, values, naive); };
  check(Operator::sum, [](T a, T b) { return modulo(a, b, [](auto x, auto y) { return x + y; }); });
  check(Operator::prod, [](T a, T b) { return modulo(a, b, [](auto x, auto y) { return x * y; }); });
  check(Operator::min, [](T a, T b) { return a < b ? a : b; });
  check(Operator::max, [](T a, T b) { return a > b ? a : b; });
  check(Operator::band, [](T a, T b) { return static_cast<T>(a & b); });
  check(Operator::bor, [](T a, T b) { return static_cast<T>(a | b); });
  check(Operator::bxor, [](T a, T b) { return static_cast<T>(a ^ b); });
  check(Operator::land, [](T a, T b) { return static_cast<T>(a != 0 && b != 0); });
  check(Operator::lor, [](T a, T b) { return static_cast<T>(a != 0 || b != 0); });
  check(Operator::lxor, [](T a, T b) { return static_cast<T>((a != 0) != (b != 0)); });
}

template <class T>
void check_integer(Element element) {
  check_integer<T>(element, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

TEST(Kernels, Integers) {
  check_integer<std::int8_t>(Element::i8);
  check_integer<std::int16_t>(Element::i16);
  check_integer<std::int32_t>(Element::i32);
  check_integer<std::int64_t>(Element::i64);
  check_integer<std::uint8_t>(Element::u8);
  check_integer<std::uint16_t>(Element::u16);
  check_integer<std::uint32_t>(Element::u32);
  check_integer<std::uint64_t>(Element::u64);
  check_integer<long>(Element::c_long);
  check_integer<unsigned long>(Element::c_ulong);
  check_integer<std::int8_t>(Element::fortran_i8);
  check_integer<std::int16_t>(Element::fortran_i16);
  check_integer<std::int32_t>(Element::fortran_i32);
  check_integer<std::int64_t>(Element::fortran_i64);
  const auto most = static_cast<Int128>(~Unsigned128{0} >> 1);
  check_integer<Int128>(Element::fortran_i128, -most - 1, most);
  check_integer<std::int64_t>(Element::address);
}

// As numbers other libraries take them.
TEST(Kernels, CharactersAndBytes) {
  check_integer<char>(Element::character);
  check_integer<std::uint8_t>(Element::byte);
}

// ---- numbers with a fraction

/// A number other than 0, NaN too, is true; what comes out is 0 or 1.
template <class T, class Holds>
void check_truth(Element element, const std::vector<T>& values, Holds holds) {
  const auto number = [](bool value) { return T(value ? 1.0F : 0.0F); };
  expect_naive<T>(Operator::land, element, values, [&](T a, T b) { return number(holds(a) && holds(b)); });
  expect_naive<T>(Operator::lor, element, values, [&](T a, T b) { return number(holds(a) || holds(b)); });
  expect_naive<T>(Operator::lxor, element, values, [&](T a, T b) { return number(holds(a) != holds(b)); });
}

template <class T>
void check_float(Element element) {
  const T infinite = std::numeric_limits<T>::infinity();
  const std::vector<T> values = {T(0),
                                 T(1),
                                 T(-1),
                                 T(0.5),
                                 T(-2.75),
                                 T(1) / T(3),
                                 std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max(),
                                 std::numeric_limits<T>::lowest(),
                                 infinite};
  expect_naive<T>(Operator::min, element, values, [](T a, T b) { return a < b ? a : b; });
  expect_naive<T>(Operator::max, element, values, [](T a, T b) { return a > b ? a : b; });
  expect_naive<T>(Operator::sum, element, values, [](T a, T b) { return a + b; });
  const std::vector<T> finite(values.begin() + 1, values.end() - 1);  // without 0 * infinity, which is no number
  expect_naive<T>(Operator::prod, element, finite, [](T a, T b) { return a * b; });
  std::vector<T> truths = values;
  truths.insert(truths.end(), {T(-0.0), std::numeric_limits<T>::quiet_NaN()});
  check_truth<T>(element, truths, [](T a) { return a != T(0); });
}

template <class T>
void check_complex(Element element) {
  using Complex = std::complex<T>;
  const std::vector<Complex> values = {{0, 0}, {1, 0}, {0, 1}, {-2, 3}, {T(0.5), T(-0.25)}, {100, -7}};
  expect_naive<Complex>(Operator::sum, element, values,
                        [](Complex a, Complex b) { return Complex(a.real() + b.real(), a.imag() + b.imag()); });
  // Every product here is exact, so the order of the roundings does not matter.
  expect_naive<Complex>(Operator::prod, element, values, [](Complex a, Complex b) {
    return Complex(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  });
}

TEST(Kernels, Quadruples) {
  const std::vector<Float128> values = {0, 1, -1, 0.5, -2.75, Float128(1) / 3, 1e300 * Float128(1e300)};
  using T = Float128;
  expect_naive<T>(Operator::min, Element::f128, values, [](T a, T b) { return a < b ? a : b; });
  expect_naive<T>(Operator::max, Element::f128, values, [](T a, T b) { return a > b ? a : b; });
  expect_naive<T>(Operator::sum, Element::f128, values, [](T a, T b) { return a + b; });
  expect_naive<T>(Operator::prod, Element::f128, values, [](T a, T b) { return a * b; });
  check_truth<T>(Element::f128, values, [](T a) { return a != 0; });
}

TEST(Kernels, Halves) {
  // Every value of a half, each with its neighbour and with a few others, against arithmetic in double, which is exact.
  std::vector<Half> values;
  for (const float value :
       {0.0f, -0.0f, 1.0f, -1.5f, 65504.0f, -65504.0f, 6.104e-5f, 5.96e-8f, 0.333f, 1024.0f, 2049.0f})
    values.push_back(Half(value));
  const auto wide = [](Half a) { return static_cast<double>(static_cast<float>(a)); };
  const auto rounded = [](double value) { return Half(static_cast<float>(value)); };
  expect_naive<Half>(Operator::sum, Element::f16, values, [&](Half a, Half b) { return rounded(wide(a) + wide(b)); });
  expect_naive<Half>(Operator::prod, Element::f16, values, [&](Half a, Half b) { return rounded(wide(a) * wide(b)); });
  expect_naive<Half>(Operator::max, Element::f16, values, [&](Half a, Half b) { return wide(a) > wide(b) ? a : b; });
  expect_naive<Half>(Operator::min, Element::f16, values, [&](Half a, Half b) { return wide(a) < wide(b) ? a : b; });
  values.push_back(Half(std::numeric_limits<float>::quiet_NaN()));
  check_truth<Half>(Element::f16, values, [&](Half a) { return wide(a) != 0; });
}

TEST(Kernels, FloatingPoint) {
  check_float<float>(Element::f32);
  check_float<double>(Element::f64);
  check_float<long double>(Element::f80);
}

TEST(Kernels, ComplexHalvesAndQuadruples) {
  // (1 + 2i) * (3 - i) = 5 + 5i
  const auto check = [](auto part, Element element) {
    using T = decltype(part);
    using Complex = ComplexOf<T>;
    const Complex left{T(1.0f), T(2.0f)};
    Complex right{T(3.0f), T(-1.0f)};
    find_kernel(Operator::prod, element)(&left, &right, 1);
    EXPECT_TRUE(same(right.re, T(5.0f)) && same(right.im, T(5.0f)));
    find_kernel(Operator::sum, element)(&left, &right, 1);
    EXPECT_TRUE(same(right.re, T(6.0f)) && same(right.im, T(7.0f)));
  };
  check(Half(0.0f), Element::c16);
  check(Float128(0), Element::c128);
}

TEST(Kernels, Complex) {
  check_complex<float>(Element::c32);
  check_complex<double>(Element::c64);
  check_complex<long double>(Element::c80);
}

// ---- truth values

template <class T>
void check_logical(Element element, const std::vector<T>& values) {
  expect_naive<T>(Operator::land, element, values, [](T a, T b) { return static_cast<T>(a != 0 && b != 0); });
  expect_naive<T>(Operator::lor, element, values, [](T a, T b) { return static_cast<T>(a != 0 || b != 0); });
  expect_naive<T>(Operator::lxor, element, values, [](T a, T b) { return static_cast<T>((a != 0) != (b != 0)); });
}

TEST(Kernels, Logicals) {
  check_logical<bool>(Element::boolean, {false, true});
  check_logical<std::uint8_t>(Element::boolean, {0, 1, 2, 0x80, 0xff});  // whatever a buffer holds
  check_logical<std::int8_t>(Element::l8, {0, 1, -1, 2});
  check_logical<std::int16_t>(Element::l16, {0, 1, -1, 256});
  check_logical<std::int32_t>(Element::l32, {0, 1, -1, 1 << 16});
  check_logical<std::int64_t>(Element::l64, {0, 1, -1, std::int64_t{1} << 32});
  check_logical<Int128>(Element::l128, {0, 1, -1, Int128{1} << 64});
}

// ---- pairs

template <class Value, class Index = int>
void check_pair(Element element) {
  using P = Pair<Value, Index>;
  std::vector<P> values;
  for (const Value value :
       {std::numeric_limits<Value>::lowest(), Value(-3), Value(0), Value(5), std::numeric_limits<Value>::max()}) {
    for (const Index index : {Index(0), Index(1), Index(-4), Index(1000)}) values.push_back({value, index});
  }
  const auto smaller_index = [](const P& a, const P& b) { return a.index < b.index ? a : b; };
  expect_naive<P>(Operator::minloc, element, values, [&](const P& a, const P& b) {
    return a.value == b.value ? smaller_index(a, b) : (a.value < b.value ? a : b);
  });
  expect_naive<P>(Operator::maxloc, element, values, [&](const P& a, const P& b) {
    return a.value == b.value ? smaller_index(a, b) : (a.value > b.value ? a : b);
  });
}

TEST(Kernels, PairsAndTheirTies) {
  check_pair<float>(Element::f32_i32);
  check_pair<double>(Element::f64_i32);
  check_pair<long>(Element::long_i32);
  check_pair<int>(Element::i32_i32);
  check_pair<short>(Element::i16_i32);
  check_pair<long double>(Element::f80_i32);
  check_pair<float, float>(Element::f32_f32);
  check_pair<double, double>(Element::f64_f64);
  check_pair<int>(Element::fortran_i32_i32);
}

// ---- lengths and alignment

TEST(Kernels, EveryLengthUpToSeveralVectors) {
  // Loops are vectorized: the elements before, in and after whole vectors must all be right.
  const Kernel sum = find_kernel(Operator::sum, Element::i32);
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (std::size_t count = 0; count < 200; ++count) {
      std::vector<std::int32_t> left(count);
      std::vector<std::int32_t> right(count + 1, -1);
      std::vector<std::int32_t> expected(count + 1, -1);
      for (std::size_t i = 0; i < count; ++i) {
        left[i] = static_cast<std::int32_t>(random() % 1000000);
        right[i] = static_cast<std::int32_t>(random() % 1000000);
        expected[i] = left[i] + right[i];
      }
      sum(left.data(), right.data(), count);
      ASSERT_EQ(right, expected) << count;
    }
  }
}

}  // namespace
}  // namespace bowline::dtype
