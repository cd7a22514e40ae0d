// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/f90.hpp"

#include <map>
#include <memory>
#include <vector>

#include "dtype/predefined.hpp"
#include "dtype/value_index.hpp"

namespace bowline::dtype {
namespace {

/// A predefined type by its handle in the standard ABI.
struct FortranKind {
  std::uintptr_t handle;
  std::size_t bytes;
  int digits;  ///< decimal digits; for an integer the range
  int range;   ///< range of decimal exponents
};

constexpr FortranKind integers[] = {
    {0x2c1, 1, 2, 0}, {0x2c9, 2, 4, 0}, {0x2d1, 4, 9, 0}, {0x2d9, 8, 18, 0}, {0x2e1, 16, 38, 0}};
constexpr FortranKind reals[] = {{0x2d2, 4, 6, 37}, {0x2da, 8, 15, 307}, {0x2e2, 16, 33, 4931}};
constexpr FortranKind complexes[] = {{0x2db, 8, 6, 37}, {0x2e3, 16, 15, 307}, {0x2eb, 32, 33, 4931}};
constexpr FortranKind logicals[] = {
    {0x2c0, 1, 0, 0}, {0x2c8, 2, 0, 0}, {0x2d0, 4, 0, 0}, {0x2d8, 8, 0, 0}, {0x2e0, 16, 0, 0}};
constexpr FortranKind short_real{0x2ca, 2, 3, 4};
constexpr FortranKind short_complex{0x2d3, 4, 3, 4};

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
  static auto& made = *new std::map<std::pair<Combiner, std::vector<int>>, std::unique_ptr<Datatype>>;
  for (const FortranKind& kind : kinds_of(class_of(combiner))) {
    if (digits.value_or(0) > kind.digits || range.value_or(0) > kind.range) continue;
    auto& type = made[{combiner, given.integers}];
    if (type == nullptr) type = std::make_unique<Datatype>(*predefined_datatype(kind.handle), given);
    return type.get();
  }
  return nullptr;
}

Datatype* type_of_size(TypeClass type_class, std::size_t bytes) noexcept {
  for (const FortranKind& kind : kinds_of(type_class)) {
    if (kind.bytes == bytes) return predefined_datatype(kind.handle);
  }
  if (type_class == TypeClass::real && bytes == short_real.bytes) return predefined_datatype(short_real.handle);
  if (type_class == TypeClass::complex && bytes == short_complex.bytes)
    return predefined_datatype(short_complex.handle);
  return nullptr;
}

Datatype* pair_of(const Datatype& value, const Datatype& index) {
  for (const PairRow& pair : pairs) {
    if (&value == predefined_datatype(pair.value) && &index == predefined_datatype(pair.index))
      return predefined_datatype(pair.pair);
  }
  return value_index_type(value, index);
}

}  // namespace bowline::dtype
