// SPDX-License-Identifier: BSD-3-Clause
// How each predefined operator combines one pair of operands; `a` is the left one, from the lower rank.
//
// All functions here are inlined into loops that are compiled for several instruction sets. They must not be compiled
// separately, because the linker would keep one copy for all instruction sets.
//
// NaN is never lost: the maximum and the minimum of a NaN and a number are NaN, and MPI_MAXLOC and MPI_MINLOC order a
// NaN before every number. So results do not depend on the order in which ranks are combined.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "dtype/native.hpp"
#include "dtype/op.hpp"

#define BOWLINE_INLINE [[gnu::always_inline]] inline

namespace bowline::dtype {
namespace {

/// The type in which a sum or a product of integers is computed. Signed integers wrap around, as in every MPI library.
/// Unsigned arithmetic makes that defined in C++; narrow types would be promoted to int.
template <class T>
struct Wrapping {
  using type = T;
};
template <class T>
requires std::is_integral_v<T>
struct Wrapping<T> {
  using type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};
template <>
struct Wrapping<Int128> {
  using type = Unsigned128;
};
template <>
struct Wrapping<Half> {
  using type = float;
};

template <Operator op, class T>
BOWLINE_INLINE T arithmetic(T a, T b) {
  using W = typename Wrapping<T>::type;
  if constexpr (op == Operator::sum) return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  if constexpr (op == Operator::prod) return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
}

// Written out, because the operator of std::complex handles infinities with a slow call (C99, Annex G).
template <class T>
BOWLINE_INLINE ComplexOf<T> product(const ComplexOf<T>& a, const ComplexOf<T>& b) {
  using W = typename Wrapping<T>::type;
  const W a_re = static_cast<W>(a.re), a_im = static_cast<W>(a.im);
  const W b_re = static_cast<W>(b.re), b_im = static_cast<W>(b.im);
  return {static_cast<T>(a_re * b_re - a_im * b_im), static_cast<T>(a_re * b_im + a_im * b_re)};
}

template <class T>
BOWLINE_INLINE bool is_less(T a, T b) {
  if constexpr (std::is_same_v<T, Half>) {
    const auto order = [](Half h) { return h.bits ^ (h.bits >= 0x8000 ? 0xffff : 0x8000); };  // -0 before +0
    return order(a) < order(b);
  } else {
    return a < b;
  }
}

template <class T>
BOWLINE_INLINE bool is_nan(T a) {
  if constexpr (std::is_same_v<T, Half>) {
    return (a.bits & 0x7fff) > 0x7c00;
  } else {
    return a != a;  // NOLINT(misc-redundant-expression): false for whatever is no floating-point number
  }
}

// A comparison with NaN is false and keeps `a`, which is right if `a` is the NaN; the second line handles a NaN in `b`.
// This form compiles to one maximum, one comparison and one masked move.
template <Operator op, class T>
BOWLINE_INLINE T extreme(T a, T b) {
  const bool b_wins = op == Operator::max ? is_less(a, b) : is_less(b, a);
  const T winner = b_wins ? b : a;
  return is_nan(b) ? b : winner;
}

template <Operator op, class T>
BOWLINE_INLINE T bitwise(T a, T b) {
  if constexpr (op == Operator::band) return static_cast<T>(a & b);
  if constexpr (op == Operator::bor) return static_cast<T>(a | b);
  if constexpr (op == Operator::bxor) return static_cast<T>(a ^ b);
}

/// The truth value of a number; NaN is true, as in C.
template <class T>
BOWLINE_INLINE bool is_true(T a) {
  if constexpr (std::is_same_v<T, Half>) {
    return (a.bits & 0x7fff) != 0;
  } else {
    return a != 0;
  }
}

/// The number that represents a truth value.
template <class T>
BOWLINE_INLINE T truth(bool value) {
  if constexpr (std::is_same_v<T, Half>) {
    return std::bit_cast<Half>(static_cast<std::uint16_t>(value ? 0x3c00 : 0));  // 1.0
  } else {
    return static_cast<T>(value);
  }
}

// The results are 0 or 1, for any operands.
template <Operator op, class T>
BOWLINE_INLINE T logical(T a, T b) {
  if constexpr (op == Operator::land) return truth<T>(is_true(a) && is_true(b));
  if constexpr (op == Operator::lxor) return truth<T>(is_true(a) != is_true(b));
  if constexpr (op == Operator::lor) {
    if constexpr (requires { a | b; }) {
      return truth<T>((a | b) != 0);  // one comparison
    } else {
      return truth<T>(is_true(a) || is_true(b));
    }
  }
}

/// 1 if the value a precedes b, else 0; NaN precedes all numbers. The result is an integer, because the compiler does
/// not vectorize loops with && and ||.
template <Operator op, class T>
BOWLINE_INLINE unsigned precedes(T a, T b) {
  const unsigned better = op == Operator::maxloc ? b < a : a < b;
  if constexpr (std::is_integral_v<T>) {
    return better;
  } else {
    return better | (static_cast<unsigned>(is_nan(a)) & static_cast<unsigned>(!is_nan(b)));
  }
}

// If two values are equal, the smaller index wins, for the minimum as for the maximum.
template <Operator op, class P>
BOWLINE_INLINE P located(const P& a, const P& b) {
  const unsigned a_first = precedes<op>(a.value, b.value);
  const unsigned tie = (a_first | precedes<op>(b.value, a.value)) ^ 1U;
  const bool a_wins = (a_first | (tie & static_cast<unsigned>(a.index < b.index))) != 0;
  return {a_wins ? a.value : b.value, a_wins ? a.index : b.index};
}

template <class T>
struct IsComplex : std::false_type {};
template <class Part>
struct IsComplex<ComplexOf<Part>> : std::true_type {};

template <Operator op, class T>
BOWLINE_INLINE T combine(const T& a, const T& b) {
  if constexpr (IsComplex<T>::value) {
    return product(a, b);
  } else {
    if constexpr (op == Operator::sum || op == Operator::prod) return arithmetic<op>(a, b);
    if constexpr (op == Operator::min || op == Operator::max) return extreme<op>(a, b);
    if constexpr (op == Operator::band || op == Operator::bor || op == Operator::bxor) return bitwise<op>(a, b);
    if constexpr (op == Operator::land || op == Operator::lor || op == Operator::lxor) return logical<op>(a, b);
    if constexpr (op == Operator::minloc || op == Operator::maxloc) return located<op>(a, b);
  }
}

}  // namespace
}  // namespace bowline::dtype
