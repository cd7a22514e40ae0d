// SPDX-License-Identifier: BSD-3-Clause
// Native: the C++ type of one element in memory.
#pragma once

#include <array>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dtype/element.hpp"
#include "dtype/kernels/half.hpp"

namespace bowline::dtype {

// 128-bit integers are extensions of both compilers, for which the standard library has no traits.
__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

/// A binary128 number: the long double of C on 64-bit ARM and RISC-V, an extension of both compilers elsewhere.
#if LDBL_MANT_DIG == 113
using Float128 = long double;
#else
__extension__ using Float128 = __float128;
#endif

/// A complex number as C, C++ and Fortran lay it out.
template <class T>
struct ComplexOf {
  T re, im;
};

template <Element>
struct NativeOf;

// clang-format off
template <> struct NativeOf<Element::byte> { using type = std::uint8_t; };
template <> struct NativeOf<Element::packed> { using type = std::uint8_t; };
template <> struct NativeOf<Element::character> { using type = char; };
template <> struct NativeOf<Element::wide_character> { using type = wchar_t; };
template <> struct NativeOf<Element::i8> { using type = std::int8_t; };
template <> struct NativeOf<Element::i16> { using type = std::int16_t; };
template <> struct NativeOf<Element::i32> { using type = std::int32_t; };
template <> struct NativeOf<Element::i64> { using type = std::int64_t; };
template <> struct NativeOf<Element::u8> { using type = std::uint8_t; };
template <> struct NativeOf<Element::u16> { using type = std::uint16_t; };
template <> struct NativeOf<Element::u32> { using type = std::uint32_t; };
template <> struct NativeOf<Element::u64> { using type = std::uint64_t; };
template <> struct NativeOf<Element::c_long> { using type = long; };
template <> struct NativeOf<Element::c_ulong> { using type = unsigned long; };
template <> struct NativeOf<Element::fortran_i8> { using type = std::int8_t; };
template <> struct NativeOf<Element::fortran_i16> { using type = std::int16_t; };
template <> struct NativeOf<Element::fortran_i32> { using type = std::int32_t; };
template <> struct NativeOf<Element::fortran_i64> { using type = std::int64_t; };
template <> struct NativeOf<Element::fortran_i128> { using type = Int128; };
template <> struct NativeOf<Element::address> { using type = std::int64_t; };
template <> struct NativeOf<Element::f16> { using type = Half; };
template <> struct NativeOf<Element::f32> { using type = float; };
template <> struct NativeOf<Element::f64> { using type = double; };
template <> struct NativeOf<Element::f80> { using type = long double; };
template <> struct NativeOf<Element::f128> { using type = Float128; };
template <> struct NativeOf<Element::c16> { using type = ComplexOf<Half>; };
template <> struct NativeOf<Element::c32> { using type = ComplexOf<float>; };
template <> struct NativeOf<Element::c64> { using type = ComplexOf<double>; };
template <> struct NativeOf<Element::c80> { using type = ComplexOf<long double>; };
template <> struct NativeOf<Element::c128> { using type = ComplexOf<Float128>; };
template <> struct NativeOf<Element::boolean> { using type = bool; };
template <> struct NativeOf<Element::l8> { using type = std::int8_t; };
template <> struct NativeOf<Element::l16> { using type = std::int16_t; };
template <> struct NativeOf<Element::l32> { using type = std::int32_t; };
template <> struct NativeOf<Element::l64> { using type = std::int64_t; };
template <> struct NativeOf<Element::l128> { using type = Int128; };
template <> struct NativeOf<Element::f32_i32> { using type = Pair<float, int>; };
template <> struct NativeOf<Element::f64_i32> { using type = Pair<double, int>; };
template <> struct NativeOf<Element::long_i32> { using type = Pair<long, int>; };
template <> struct NativeOf<Element::i32_i32> { using type = Pair<int, int>; };
template <> struct NativeOf<Element::i16_i32> { using type = Pair<short, int>; };
template <> struct NativeOf<Element::f80_i32> { using type = Pair<long double, int>; };
template <> struct NativeOf<Element::f32_f32> { using type = Pair<float, float>; };
template <> struct NativeOf<Element::f64_f64> { using type = Pair<double, double>; };
template <> struct NativeOf<Element::fortran_i32_i32> { using type = Pair<int, int>; };
// clang-format on

template <Element element>
using Native = typename NativeOf<element>::type;

namespace detail {
template <std::size_t... elements>
constexpr std::array<std::size_t, element_count> native_sizes(std::index_sequence<elements...>) {
  return {sizeof(Native<static_cast<Element>(elements)>)...};
}
inline constexpr auto sizes = native_sizes(std::make_index_sequence<element_count>());
}  // namespace detail

/// Bytes from one element to the next in an array in memory, the padding of pairs included.
constexpr std::size_t native_size(Element element) noexcept {
  return detail::sizes[static_cast<std::size_t>(element)];
}

}  // namespace bowline::dtype
