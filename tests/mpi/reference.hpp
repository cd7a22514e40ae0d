// SPDX-License-Identifier: BSD-3-Clause
// What the predefined operators mean, told as plainly as possible, on values whose results every type holds exactly.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <type_traits>

#include "datatypes.hpp"

namespace check {

enum class Operator { sum, prod, min, max, land, lor, lxor, band, bor, bxor, minloc, maxloc };

struct NamedOperator {
  MPI_Op handle;
  const char* name;
  Operator meaning;
};

inline constexpr int operator_count = 12;
inline const NamedOperator operators[operator_count] = {
    {MPI_SUM, "MPI_SUM", Operator::sum},          {MPI_PROD, "MPI_PROD", Operator::prod},
    {MPI_MIN, "MPI_MIN", Operator::min},          {MPI_MAX, "MPI_MAX", Operator::max},
    {MPI_LAND, "MPI_LAND", Operator::land},       {MPI_LOR, "MPI_LOR", Operator::lor},
    {MPI_LXOR, "MPI_LXOR", Operator::lxor},       {MPI_BAND, "MPI_BAND", Operator::band},
    {MPI_BOR, "MPI_BOR", Operator::bor},          {MPI_BXOR, "MPI_BXOR", Operator::bxor},
    {MPI_MINLOC, "MPI_MINLOC", Operator::minloc}, {MPI_MAXLOC, "MPI_MAXLOC", Operator::maxloc},
};

// The groups of types that the standard allows an operator on. Those of Fortran and of several languages (MPI_AINT ...)
// are "other" integers: the logical operators are not defined on them.
enum class Group { integer, other_integer, floating, complex, logical, byte, pair };

constexpr bool allowed(Operator op, Group group) {
  const bool integer = group == Group::integer || group == Group::other_integer;
  switch (op) {
    case Operator::sum:
    case Operator::prod:
      return integer || group == Group::floating || group == Group::complex;
    case Operator::min:
    case Operator::max:
      return integer || group == Group::floating;
    case Operator::land:
    case Operator::lor:
    case Operator::lxor:
      return group == Group::integer || group == Group::logical;
    case Operator::band:
    case Operator::bor:
    case Operator::bxor:
      return integer || group == Group::byte;
    case Operator::minloc:
    case Operator::maxloc:
      return group == Group::pair;
  }
  return false;
}

template <typename T>
inline constexpr bool is_pair = false;
template <typename Value, typename Index>
inline constexpr bool is_pair<Pair<Value, Index>> = true;
template <typename T>
inline constexpr bool is_complex = false;
template <typename T>
inline constexpr bool is_complex<std::complex<T>> = true;

// What one rank contributes to element `i`. Products of nine ranks' elements stay below 8, sums below 28 in amount.
template <typename T>
T element(Operator op, Group group, int of_rank, int i) {
  if constexpr (is_pair<T>) {
    // Equal values meet: the lowest index must win.
    return {static_cast<decltype(T::value)>((of_rank * 5 + i) % 3),
            static_cast<decltype(T::index)>((of_rank * 7 + i) % 11)};
  } else if constexpr (is_complex<T>) {
    if (op == Operator::prod) return of_rank % 4 == 1 ? T(0, 1) : T(1, 0);
    return T(static_cast<typename T::value_type>((of_rank + i) % 4), static_cast<typename T::value_type>(i % 3));
  } else {
    if (group == Group::logical) return static_cast<T>((of_rank + i) % 3 != 0);
    if (op == Operator::prod) return static_cast<T>(of_rank % 4 == i % 4 ? 2 : 1);
    if (op == Operator::land || op == Operator::lor || op == Operator::lxor) return static_cast<T>((of_rank + i) % 3);
    if (op == Operator::band || op == Operator::bor || op == Operator::bxor)
      return static_cast<T>((of_rank * 37 + i * 11) % 127);
    if constexpr (std::is_signed_v<T>) return static_cast<T>((of_rank * 3 + i) % 7 - 3);
    return static_cast<T>((of_rank * 3 + i) % 7);
  }
}

template <typename T>
T combine(Operator op, const T& a, const T& b) {
  if constexpr (is_pair<T>) {
    if (a.value == b.value) return {a.value, a.index < b.index ? a.index : b.index};
    return (op == Operator::minloc) == (a.value < b.value) ? a : b;
  } else if constexpr (is_complex<T>) {
    return op == Operator::sum ? a + b : a * b;
  } else {
    switch (op) {
      case Operator::sum:
        return static_cast<T>(a + b);
      case Operator::prod:
        return static_cast<T>(a * b);
      case Operator::min:
        return a < b ? a : b;
      case Operator::max:
        return a < b ? b : a;
      case Operator::land:
        return static_cast<T>(a != T{} && b != T{});
      case Operator::lor:
        return static_cast<T>(a != T{} || b != T{});
      case Operator::lxor:
        return static_cast<T>((a != T{}) != (b != T{}));
      default:
        break;
    }
    if constexpr (std::is_integral_v<T>) {
      if (op == Operator::band) return static_cast<T>(a & b);
      if (op == Operator::bor) return static_cast<T>(a | b);
      if (op == Operator::bxor) return static_cast<T>(a ^ b);
    }
    return T{};
  }
}

// Element `i` of the reduction over `ranks` ranks, in the order of the ranks.
template <typename T>
T reduced(Operator op, Group group, int ranks, int i) {
  T result = element<T>(op, group, 0, i);
  for (int next = 1; next < ranks; ++next) result = combine<T>(op, result, element<T>(op, group, next, i));
  return result;
}

template <typename T>
bool same(const T& a, const T& b) {
  if constexpr (is_pair<T>) {
    return a.value == b.value && a.index == b.index;
  } else {
    return a == b;
  }
}

}  // namespace check
