// SPDX-License-Identifier: BSD-3-Clause
// Signature: a coarse type signature (MPI-5.0, section 5.1.1), by which a process notices that another one sends
// numbers of another kind than it expects.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dtype/datatype.hpp"
#include "dtype/element.hpp"

namespace bowline::dtype {

/// Types of one signature may stand for each other in programs that work with other libraries too: signed and unsigned
/// integers and logicals of one length, and complex numbers and their parts.
enum class Signature : std::uint8_t {
  any,  ///< bytes, characters, mixed types, and what is not known: matches every signature
  integer16,
  integer32,
  integer64,
  integer128,
  real16,
  real32,
  real64,
  real80,
  real128,
  real32_and_index,
  real64_and_index,
};
inline constexpr int signatures = 12;

constexpr Signature signature_of(Element element) noexcept {
  switch (element) {
    case Element::i16:
    case Element::u16:
    case Element::fortran_i16:
    case Element::l16:
      return Signature::integer16;
    case Element::i32:
    case Element::u32:
    case Element::fortran_i32:
    case Element::l32:
    case Element::i32_i32:
    case Element::fortran_i32_i32:
      return Signature::integer32;
    case Element::i64:
    case Element::u64:
    case Element::fortran_i64:
    case Element::l64:
    case Element::address:
      return Signature::integer64;
    case Element::c_long:
    case Element::c_ulong:
      return sizeof(long) == sizeof(std::int64_t) ? Signature::integer64 : Signature::integer32;
    case Element::fortran_i128:
    case Element::l128:
      return Signature::integer128;
    case Element::f16:
    case Element::c16:
      return Signature::real16;
    case Element::f32:
    case Element::c32:
    case Element::f32_f32:
      return Signature::real32;
    case Element::f64:
    case Element::c64:
    case Element::f64_f64:
      return Signature::real64;
    case Element::f80:
    case Element::c80:
      return Signature::real80;
    case Element::f128:
    case Element::c128:
      return Signature::real128;
    case Element::f32_i32:
      return Signature::real32_and_index;
    case Element::f64_i32:
      return Signature::real64_and_index;
    default:
      return Signature::any;
  }
}

/// The signature of all elements of the type.
inline Signature signature_of(const Datatype& type) noexcept {
  const Bounds& bounds = type.bounds();
  return bounds.uniform && bounds.size > 0 ? signature_of(bounds.element) : Signature::any;
}

constexpr bool may_match(Signature a, Signature b) noexcept {
  return a == b || a == Signature::any || b == Signature::any;
}

/// "64-bit integers".
const char* in_words(Signature type) noexcept;

}  // namespace bowline::dtype
