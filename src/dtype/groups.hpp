// SPDX-License-Identifier: BSD-3-Clause
// The groups of types for which the standard defines the predefined operators (MPI-5.0, section 6.9.2), and the types
// for which other libraries accept them too.
#pragma once

#include "dtype/element.hpp"
#include "dtype/op.hpp"

namespace bowline::dtype {

enum class Group : std::uint8_t {
  none,
  c_integer,
  fortran_integer,
  multi_language,
  floating,
  logical,
  complex,
  byte,
  character,
  pair
};

constexpr Group group_of(Element element) noexcept {
  switch (element) {
    case Element::i8:
    case Element::i16:
    case Element::i32:
    case Element::i64:
    case Element::u8:
    case Element::u16:
    case Element::u32:
    case Element::u64:
    case Element::c_long:
    case Element::c_ulong:
      return Group::c_integer;
    case Element::fortran_i8:
    case Element::fortran_i16:
    case Element::fortran_i32:
    case Element::fortran_i64:
    case Element::fortran_i128:
      return Group::fortran_integer;
    case Element::address:
      return Group::multi_language;
    case Element::f16:
    case Element::f32:
    case Element::f64:
    case Element::f80:
    case Element::f128:
      return Group::floating;
    case Element::boolean:
    case Element::l8:
    case Element::l16:
    case Element::l32:
    case Element::l64:
    case Element::l128:
      return Group::logical;
    case Element::c16:
    case Element::c32:
    case Element::c64:
    case Element::c80:
    case Element::c128:
      return Group::complex;
    case Element::byte:
      return Group::byte;
    case Element::character:
      return Group::character;
    case Element::f32_i32:
    case Element::f64_i32:
    case Element::long_i32:
    case Element::i32_i32:
    case Element::i16_i32:
    case Element::f80_i32:
    case Element::f32_f32:
    case Element::f64_f64:
    case Element::fortran_i32_i32:
      return Group::pair;
    default:
      return Group::none;  // wide characters, packed data
  }
}

/// Whether the standard defines an operator on an element. MPI_REPLACE and MPI_NO_OP are defined on all, but only in
/// one-sided accumulation.
constexpr bool defined(Operator op, Element element) noexcept {
  const Group group = group_of(element);
  const bool integer = group == Group::c_integer || group == Group::fortran_integer || group == Group::multi_language;
  switch (op) {
    case Operator::max:
    case Operator::min:
      return integer || group == Group::floating;
    case Operator::sum:
    case Operator::prod:
      return integer || group == Group::floating || group == Group::complex;
    case Operator::land:
    case Operator::lor:
    case Operator::lxor:
      return group == Group::c_integer || group == Group::logical;
    case Operator::band:
    case Operator::bor:
    case Operator::bxor:
      return integer || group == Group::byte;
    case Operator::minloc:
    case Operator::maxloc:
      return group == Group::pair;
    case Operator::replace:
    case Operator::no_op:
      return true;
    default:
      return false;
  }
}

/// Whether an operator that the standard does not define on an element has one possible meaning only. Open MPI, MPICH
/// or both accept such operators, and programs rely on them: characters and bytes as numbers, all numbers as truth
/// values.
constexpr bool understood(Operator op, Element element) noexcept {
  const Group group = group_of(element);
  const bool small = group == Group::character || group == Group::byte;
  switch (op) {
    case Operator::max:
    case Operator::min:
    case Operator::sum:
    case Operator::prod:
      return small;
    case Operator::land:
    case Operator::lor:
    case Operator::lxor:
      return small || group == Group::fortran_integer || group == Group::multi_language || group == Group::floating;
    case Operator::band:
    case Operator::bor:
    case Operator::bxor:
      return group == Group::character;
    default:
      return false;
  }
}

}  // namespace bowline::dtype
