// SPDX-License-Identifier: BSD-3-Clause
// The element-wise loops of the predefined operators, one per operator and element that the standard allows (MPI-5.0,
// table 6.1 for the groups of types, section 6.9.4 for MINLOC and MAXLOC).
#include <algorithm>
#include <array>
#include <complex>
#include <type_traits>

#include "dtype/native.hpp"
#include "dtype/op.hpp"

namespace bowline::dtype {
namespace {

// ---- which C++ type computes for an element, and to which group of the standard it belongs

enum class Group { none, integer, floating, logical, complex, byte, pair };

template <Element>
struct Traits {
  static constexpr Group group = Group::none;
  using type = void;
};

template <class T, Group G>
struct Is {
  static constexpr Group group = G;
  using type = T;
};

// clang-format off
template <> struct Traits<Element::i8> : Is<std::int8_t, Group::integer> {};
template <> struct Traits<Element::i16> : Is<std::int16_t, Group::integer> {};
template <> struct Traits<Element::i32> : Is<std::int32_t, Group::integer> {};
template <> struct Traits<Element::i64> : Is<std::int64_t, Group::integer> {};
template <> struct Traits<Element::c_long> : Is<long, Group::integer> {};
template <> struct Traits<Element::c_ulong> : Is<unsigned long, Group::integer> {};
template <> struct Traits<Element::fortran_i8> : Is<std::int8_t, Group::integer> {};
template <> struct Traits<Element::fortran_i16> : Is<std::int16_t, Group::integer> {};
template <> struct Traits<Element::fortran_i32> : Is<std::int32_t, Group::integer> {};
template <> struct Traits<Element::fortran_i64> : Is<std::int64_t, Group::integer> {};
template <> struct Traits<Element::fortran_i128> : Is<Int128, Group::integer> {};
template <> struct Traits<Element::address> : Is<std::int64_t, Group::integer> {};
template <> struct Traits<Element::u8> : Is<std::uint8_t, Group::integer> {};
template <> struct Traits<Element::u16> : Is<std::uint16_t, Group::integer> {};
template <> struct Traits<Element::u32> : Is<std::uint32_t, Group::integer> {};
template <> struct Traits<Element::u64> : Is<std::uint64_t, Group::integer> {};
template <> struct Traits<Element::f32> : Is<float, Group::floating> {};
template <> struct Traits<Element::f64> : Is<double, Group::floating> {};
template <> struct Traits<Element::f80> : Is<long double, Group::floating> {};
template <> struct Traits<Element::c32> : Is<std::complex<float>, Group::complex> {};
template <> struct Traits<Element::c64> : Is<std::complex<double>, Group::complex> {};
template <> struct Traits<Element::c80> : Is<std::complex<long double>, Group::complex> {};
template <> struct Traits<Element::byte> : Is<std::uint8_t, Group::byte> {};
template <> struct Traits<Element::boolean> : Is<bool, Group::logical> {};
template <> struct Traits<Element::l8> : Is<std::int8_t, Group::logical> {};
template <> struct Traits<Element::l16> : Is<std::int16_t, Group::logical> {};
template <> struct Traits<Element::l32> : Is<std::int32_t, Group::logical> {};
template <> struct Traits<Element::l64> : Is<std::int64_t, Group::logical> {};
template <> struct Traits<Element::l128> : Is<Int128, Group::logical> {};
template <> struct Traits<Element::f32_i32> : Is<Pair<float, int>, Group::pair> {};
template <> struct Traits<Element::f64_i32> : Is<Pair<double, int>, Group::pair> {};
template <> struct Traits<Element::long_i32> : Is<Pair<long, int>, Group::pair> {};
template <> struct Traits<Element::i32_i32> : Is<Pair<int, int>, Group::pair> {};
template <> struct Traits<Element::i16_i32> : Is<Pair<short, int>, Group::pair> {};
template <> struct Traits<Element::f80_i32> : Is<Pair<long double, int>, Group::pair> {};
template <> struct Traits<Element::f32_f32> : Is<Pair<float, float>, Group::pair> {};
template <> struct Traits<Element::f64_f64> : Is<Pair<double, double>, Group::pair> {};
template <> struct Traits<Element::fortran_i32_i32> : Is<Pair<int, int>, Group::pair> {};
// clang-format on

constexpr bool defined(Operator op, Group group) {
  switch (op) {
    case Operator::sum:
    case Operator::prod:
      return group == Group::integer || group == Group::floating || group == Group::complex;
    case Operator::min:
    case Operator::max:
      return group == Group::integer || group == Group::floating;
    case Operator::land:
    case Operator::lor:
    case Operator::lxor:
      return group == Group::integer || group == Group::logical;
    case Operator::band:
    case Operator::bor:
    case Operator::bxor:
      return group == Group::integer || group == Group::byte;
    case Operator::minloc:
    case Operator::maxloc:
      return group == Group::pair;
    default:
      return false;
  }
}

// ---- one element

// Signed sums and products wrap, as every MPI library's do; computing them unsigned keeps that defined in C++.
template <class T, class F>
T wrapping(T a, T b, F operation) {
  if constexpr (std::is_same_v<T, Int128>) {  // an extension: the library's traits do not know it
    return static_cast<T>(operation(static_cast<Unsigned128>(a), static_cast<Unsigned128>(b)));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(unsigned)) {
    return static_cast<T>(operation(static_cast<unsigned>(a), static_cast<unsigned>(b)));
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(operation(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
  } else {
    return static_cast<T>(operation(a, b));
  }
}

// Complex products are written out: std::complex's operator handles infinities with a slow call (C99 Annex G).
template <class T>
std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T>
T product(T a, T b) {
  return wrapping(a, b, [](auto x, auto y) { return x * y; });
}

// Of equal values the smaller index wins, for the minimum as for the maximum.
template <class P, class Better>
P located(const P& a, const P& b, Better better) {
  if (better(a.value, b.value)) return a;
  if (better(b.value, a.value)) return b;
  return a.index < b.index ? a : b;
}

template <Operator op, class T>
T combine(const T& a, const T& b) {
  if constexpr (op == Operator::sum) return wrapping(a, b, [](auto x, auto y) { return x + y; });
  if constexpr (op == Operator::prod) return product(a, b);
  if constexpr (op == Operator::min) return b < a ? b : a;
  if constexpr (op == Operator::max) return a < b ? b : a;
  if constexpr (op == Operator::band) return static_cast<T>(a & b);
  if constexpr (op == Operator::bor) return static_cast<T>(a | b);
  if constexpr (op == Operator::bxor) return static_cast<T>(a ^ b);
  if constexpr (op == Operator::land) return static_cast<T>(a && b);
  if constexpr (op == Operator::lor) return static_cast<T>(a || b);
  if constexpr (op == Operator::lxor) return static_cast<T>(!a != !b);
  if constexpr (op == Operator::minloc) return located(a, b, [](auto x, auto y) { return x < y; });
  if constexpr (op == Operator::maxloc) return located(a, b, [](auto x, auto y) { return y < x; });
}

// ---- arrays of elements

template <Operator op, class T>
void loop(const void* in, void* inout, std::size_t count) {
  const T* __restrict from = static_cast<const T*>(in);
  T* __restrict to = static_cast<T*>(inout);
  for (std::size_t i = 0; i < count; ++i) to[i] = combine<op, T>(from[i], to[i]);
}

// ---- the table

using Row = std::array<Kernel, element_count>;

template <Operator op, Element element>
constexpr Kernel kernel() {
  if constexpr (defined(op, Traits<element>::group)) {
    return loop<op, typename Traits<element>::type>;
  } else {
    return nullptr;
  }
}

template <Operator op, std::size_t... elements>
constexpr Row make_row(std::index_sequence<elements...>) {
  return {kernel<op, static_cast<Element>(elements)>()...};
}

template <std::size_t... ops>
constexpr std::array<Row, operator_count> make_table(std::index_sequence<ops...>) {
  return {make_row<static_cast<Operator>(ops)>(std::make_index_sequence<element_count>())...};
}

constexpr auto table = make_table(std::make_index_sequence<operator_count>());

}  // namespace

Kernel find_kernel(Operator op, Element element) noexcept {
  return table[static_cast<std::size_t>(op)][static_cast<std::size_t>(element)];
}

}  // namespace bowline::dtype
