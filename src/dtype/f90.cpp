// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/f90.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/atomic.hpp"
#include "dtype/predefined.hpp"
#include "dtype/value_index.hpp"

namespace bowline::dtype {
namespace {

/// A kind of a Fortran type, and the predefined type for it by its handle in the standard ABI.
struct FortranKind {
  std::uintptr_t handle;  ///< handle value; 0: MPI has no type for this kind
  std::size_t bytes;
  int digits;  ///< decimal digits; for an integer the range
  int range;   ///< range of decimal exponents
  bool half = false;
};

/// The kind 10 of gfortran and flang is the long double of C where a long double has the 80 bits of the x87. Elsewhere
/// there is no such kind: no number of digits is small enough.
constexpr bool has_kind_10 = std::numeric_limits<long double>::digits == 64;
constexpr int kind_10_digits = has_kind_10 ? 18 : -1;

// A compiler chooses the first kind that is large enough. Kinds with 16 bits exist for few compilers.
constexpr FortranKind integers[] = {
    {0x2c1, 1, 2, 0}, {0x2c9, 2, 4, 0}, {0x2d1, 4, 9, 0}, {0x2d9, 8, 18, 0}, {0x2e1, 16, 38, 0}};
constexpr FortranKind reals[] = {{0x2ca, 2, 3, 4, true},
                                 {0, 2, 2, 37, true},
                                 {0x2d2, 4, 6, 37},
                                 {0x2da, 8, 15, 307},
                                 {0x220, sizeof(long double), kind_10_digits, 4931},
                                 {0x2e2, 16, 33, 4931}};
constexpr FortranKind complexes[] = {{0x2d3, 4, 3, 4, true},
                                     {0, 4, 2, 37, true},
                                     {0x2db, 8, 6, 37},
                                     {0x2e3, 16, 15, 307},
                                     {0x224, 2 * sizeof(long double), kind_10_digits, 4931},
                                     {0x2eb, 32, 33, 4931}};
constexpr FortranKind logicals[] = {
    {0x2c0, 1, 0, 0}, {0x2c8, 2, 0, 0}, {0x2d0, 4, 0, 0}, {0x2d8, 8, 0, 0}, {0x2e0, 16, 0, 0}};

constinit Atomic<bool> half_kinds = false;

std::span<const FortranKind> kinds_of(TypeClass type_class) noexcept {
  switch (type_class) {
    case TypeClass::integer:
      return integers;
    case TypeClass::real:
      return reals;
    case TypeClass::complex:
      return complexes;
    case TypeClass::logical:
      return logicals;
  }
  return {};
}

TypeClass class_of(Combiner combiner) noexcept {
  return combiner == Combiner::f90_real      ? TypeClass::real
         : combiner == Combiner::f90_complex ? TypeClass::complex
                                             : TypeClass::integer;
}

struct PairRow {
  std::uintptr_t value, index, pair;
};
constexpr std::uintptr_t mpi_int = 0x209, mpi_real = 0x21a, mpi_double_precision = 0x21c, mpi_integer = 0x219;
constexpr PairRow pairs[] = {{0x210, mpi_int, 0x228},          {0x214, mpi_int, 0x229},
                             {0x20a, mpi_int, 0x22a},          {mpi_int, mpi_int, 0x22b},
                             {0x208, mpi_int, 0x22c},          {0x220, mpi_int, 0x22d},
                             {mpi_real, mpi_real, 0x230},      {mpi_double_precision, mpi_double_precision, 0x231},
                             {mpi_integer, mpi_integer, 0x232}};

}  // namespace

Datatype* f90_type(Combiner combiner, std::optional<int> digits, std::optional<int> range, const Envelope& given) {
  using Arguments = std::pair<Combiner, std::vector<int>>;
  static auto& made = *new std::map<std::pair<Arguments, std::uintptr_t>, std::unique_ptr<Datatype>>;
  for (const FortranKind& kind : kinds_of(class_of(combiner))) {
    if (kind.half && !half_kinds.load(std::memory_order_relaxed)) continue;
    if (digits.value_or(0) > kind.digits || range.value_or(0) > kind.range) continue;
    if (kind.handle == 0) return nullptr;
    auto& type = made[{{combiner, given.integers}, kind.handle}];
    if (type == nullptr) type = std::make_unique<Datatype>(*predefined_datatype(kind.handle), given);
    return type.get();
  }
  return nullptr;
}

// Searches from the last kind on, so that 16 bytes mean MPI_REAL16 and not a long double.
Datatype* type_of_size(TypeClass type_class, std::size_t bytes) noexcept {
  const std::span<const FortranKind> kinds = kinds_of(type_class);
  const auto found = std::find_if(kinds.rbegin(), kinds.rend(),
                                  [bytes](const FortranKind& kind) { return kind.handle != 0 && kind.bytes == bytes; });
  return found == kinds.rend() ? nullptr : predefined_datatype(found->handle);
}

void fortran_has_half_kinds(bool has) noexcept {
  half_kinds.store(has, std::memory_order_relaxed);
}

Datatype* pair_of(const Datatype& value, const Datatype& index) {
  for (const PairRow& pair : pairs) {
    if (&value == predefined_datatype(pair.value) && &index == predefined_datatype(pair.index))
      return predefined_datatype(pair.pair);
  }
  return value_index_type(value, index);
}

}  // namespace bowline::dtype
