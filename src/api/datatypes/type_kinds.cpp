// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 6.9.4 and 19.1.9: predefined datatypes by precision, range, size or the types of a value-index
// pair.
#include <fmt/format.h>

#include <optional>

#include "api/entry/datatype_handles.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "dtype/f90.hpp"

namespace bowline::api {
namespace {

using dtype::Combiner;
using dtype::TypeClass;

std::optional<int> given(int value) {
  return value == MPI_UNDEFINED ? std::nullopt : std::optional(value);
}

/// A floating-point type with `p` digits and an exponent range of `r`.
MPI_Datatype floating(Combiner combiner, int p, int r) {
  const dtype::Envelope envelope{.combiner = combiner, .integers = {p, r}};
  const bool nothing_given = p == MPI_UNDEFINED && r == MPI_UNDEFINED;
  const dtype::Datatype* type = nothing_given ? nullptr : dtype::f90_type(combiner, given(p), given(r), envelope);
  if (type == nullptr) {
    throw Error(ErrorClass::arg,
                fmt::format("there is no type with p = {} decimal digits and an exponent range of r = {}: at most 33 "
                            "and 4931, one of the two must be given, and MPI has no type for 16 bits of which 8 are "
                            "the exponent",
                            p, r));
  }
  return to_handle(*type);
}

}  // namespace

void type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  *newtype = floating(Combiner::f90_real, p, r);
}

void type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  *newtype = floating(Combiner::f90_complex, p, r);
}

void type_create_f90_integer(int r, MPI_Datatype* newtype) {
  const dtype::Envelope envelope{.combiner = Combiner::f90_integer, .integers = {r}};
  const dtype::Datatype* type = dtype::f90_type(Combiner::f90_integer, r, std::nullopt, envelope);
  if (type == nullptr)
    throw Error(ErrorClass::arg, fmt::format("there is no integer with r = {} decimal digits: at most 38", r));
  *newtype = to_handle(*type);
}

void type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  std::optional<TypeClass> type_class;
  switch (typeclass) {
    case MPI_TYPECLASS_INTEGER:
      type_class = TypeClass::integer;
      break;
    case MPI_TYPECLASS_REAL:
      type_class = TypeClass::real;
      break;
    case MPI_TYPECLASS_COMPLEX:
      type_class = TypeClass::complex;
      break;
    case MPIX_TYPECLASS_LOGICAL:
      type_class = TypeClass::logical;
      break;
    default:
      throw Error(ErrorClass::arg, fmt::format("typeclass is {}, but it must be MPI_TYPECLASS_INTEGER, "
                                               "MPI_TYPECLASS_REAL or MPI_TYPECLASS_COMPLEX",
                                               typeclass));
  }
  const auto* const type = size < 0 ? nullptr : dtype::type_of_size(*type_class, static_cast<std::size_t>(size));
  if (type == nullptr)
    throw Error(ErrorClass::arg, fmt::format("size is {}, but no Fortran type of that class has so many bytes", size));
  *datatype = to_handle(*type);
}

void type_get_value_index(const dtype::Datatype& value_type, const dtype::Datatype& index_type,
                          MPI_Datatype* pair_type) {
  const dtype::Datatype* const pair = dtype::pair_of(value_type, index_type);
  *pair_type = pair == nullptr ? MPI_DATATYPE_NULL : to_handle(*pair);
}

}  // namespace bowline::api
