// SPDX-License-Identifier: BSD-3-Clause
// The loops and the table of one instruction set. One source file per instruction set includes it, after defining
// BOWLINE_TARGET, the attribute of the functions that may use the instruction set. No other function has that
// attribute: the linker may share it with the rest of the library, so it must run on every processor.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "dtype/groups.hpp"
#include "dtype/kernels/combine.hpp"
#include "dtype/kernels/kernels.hpp"

namespace bowline::dtype {
namespace {

#ifndef BOWLINE_VECTORS_OF_ANY_LENGTH
inline constexpr bool vectors_of_fixed_length = true;
#else
inline constexpr bool vectors_of_fixed_length = false;
#endif

/// Long runs are processed in blocks of a fixed length, whose loop the compiler unrolls into a few of the widest
/// vectors. Where it does not know the length of a vector, blocks would only add a second loop.
template <Operator op, class T>
BOWLINE_TARGET void loop(const void* in, void* inout, std::size_t count) {
  constexpr std::size_t block = sizeof(T) < 256 ? 256 / sizeof(T) : 1;
  const T* __restrict from = static_cast<const T*>(in);
  T* __restrict to = static_cast<T*>(inout);
  if constexpr (vectors_of_fixed_length && !std::is_same_v<T, Half>) {  // GCC vectorizes their plain loop only
    for (; count >= block; count -= block, from += block, to += block) {
      for (std::size_t i = 0; i < block; ++i) to[i] = combine<op, T>(from[i], to[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = combine<op, T>(from[i], to[i]);
}

/// A sum of complex numbers is a sum of their parts.
template <class Part>
void add_parts(const void* in, void* inout, std::size_t count) {
  loop<Operator::sum, Part>(in, inout, 2 * count);
}

template <class T>
void replace(const void* in, void* inout, std::size_t count) {
  std::memcpy(inout, in, count * sizeof(T));
}

/// The type with which the loops compute. Truth values and characters are numbers here, so every bit pattern is valid
/// and their loops are those of the integers.
template <Element element>
using Operand = std::conditional_t<
    element == Element::boolean, std::uint8_t,
    std::conditional_t<element == Element::character,
                       std::conditional_t<std::is_signed_v<char>, std::int8_t, std::uint8_t>, Native<element>>>;

template <Operator op, Element element, class T>
constexpr Kernel kernel() {
  if constexpr (op == Operator::no_op) {
    return [](const void*, void*, std::size_t) {};
  } else if constexpr (op == Operator::replace) {
    return replace<T>;
  } else if constexpr (IsComplex<T>::value && op == Operator::sum) {
    return add_parts<decltype(T::re)>;
  } else {
    return loop<op, T>;
  }
}

/// Whether wider vectors make an operator faster on this element. They do not if the processor has no vectors of this
/// element, or if padding prevents the compiler from using them.
constexpr bool vectorized(Operator op, Element element) {
  switch (element) {
    case Element::fortran_i128:
    case Element::f80:
    case Element::f128:
    case Element::c80:
    case Element::c128:
    case Element::l128:
    case Element::f64_i32:
    case Element::long_i32:
    case Element::i16_i32:
    case Element::f80_i32:
      return false;
    default:
      return op != Operator::replace && op != Operator::no_op;
  }
}

enum class Extent : std::uint8_t { all, vectorized_only };

template <Extent extent, Operator op, Element element>
constexpr Kernel entry() {
  if constexpr ((defined(op, element) || understood(op, element)) &&
                (extent == Extent::all || vectorized(op, element))) {
    return kernel<op, element, Operand<element>>();
  } else {
    return nullptr;
  }
}

template <Extent extent, Operator op, std::size_t... elements>
constexpr std::array<Kernel, element_count> make_row(std::index_sequence<elements...>) {
  return {entry<extent, op, static_cast<Element>(elements)>()...};
}

template <Extent extent, std::size_t... ops>
constexpr KernelTable make_table(std::index_sequence<ops...>) {
  return {make_row<extent, static_cast<Operator>(ops)>(std::make_index_sequence<element_count>())...};
}

template <Extent extent>
constexpr KernelTable make_table() {
  return make_table<extent>(std::make_index_sequence<operator_count>());
}

}  // namespace
}  // namespace bowline::dtype
