// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 5.1: the constructors of derived datatypes.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "api/datatypes/type_arguments.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "dtype/construction/construct.hpp"

namespace bowline::api {
namespace {

using dtype::Combiner;
using dtype::Envelope;

/// Makes the datatype that the envelope describes.
MPI_Datatype composed(Envelope envelope, const dtype::Datatype& type) {
  return to_handle(dtype::compose(std::move(envelope), type));
}

}  // namespace

void type_contiguous(CountWidth form, MPI_Count count, const dtype::Datatype& oldtype, MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::contiguous, form);
  given.add_count(count);
  *newtype = composed(std::move(given), oldtype);
}

void type_vector(CountWidth form, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                 const dtype::Datatype& oldtype, MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::vector, form);
  for (const MPI_Count value : {count, blocklength, stride}) given.add_count(value);
  *newtype = composed(std::move(given), oldtype);
}

void type_create_hvector(CountWidth form, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                         const dtype::Datatype& oldtype, MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::hvector, form);
  given.add_count(count);
  given.add_count(blocklength);
  given.add_address(stride);
  *newtype = composed(std::move(given), oldtype);
}

void type_indexed(CountWidth form, MPI_Count count, CountArray array_of_blocklengths, CountArray array_of_displacements,
                  const dtype::Datatype& oldtype, MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::indexed, form);
  given.add_count(count);
  add_lengths(given, count, array_of_blocklengths, "array_of_blocklengths");
  add_counts(given, count, array_of_displacements, "array_of_displacements");
  *newtype = composed(std::move(given), oldtype);
}

void type_create_hindexed(CountWidth form, MPI_Count count, CountArray array_of_blocklengths,
                          CountArray array_of_displacements, const dtype::Datatype& oldtype, MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::hindexed, form);
  given.add_count(count);
  add_lengths(given, count, array_of_blocklengths, "array_of_blocklengths");
  add_addresses(given, count, array_of_displacements, "array_of_displacements");
  *newtype = composed(std::move(given), oldtype);
}

void type_create_indexed_block(CountWidth form, MPI_Count count, MPI_Count blocklength,
                               CountArray array_of_displacements, const dtype::Datatype& oldtype,
                               MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::indexed_block, form);
  given.add_count(count);
  given.add_count(blocklength);
  add_counts(given, count, array_of_displacements, "array_of_displacements");
  *newtype = composed(std::move(given), oldtype);
}

void type_create_hindexed_block(CountWidth form, MPI_Count count, MPI_Count blocklength,
                                CountArray array_of_displacements, const dtype::Datatype& oldtype,
                                MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::hindexed_block, form);
  given.add_count(count);
  given.add_count(blocklength);
  add_addresses(given, count, array_of_displacements, "array_of_displacements");
  *newtype = composed(std::move(given), oldtype);
}

void type_create_struct(CountWidth form, MPI_Count count, CountArray array_of_blocklengths,
                        CountArray array_of_displacements, const MPI_Datatype array_of_types[], MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::structure, form);
  given.add_count(count);
  add_lengths(given, count, array_of_blocklengths, "array_of_blocklengths");
  add_addresses(given, count, array_of_displacements, "array_of_displacements");
  check::array(array_of_types, count, "array_of_types");
  std::vector<dtype::TypeRef> types;
  types.reserve(static_cast<std::size_t>(count));
  for (MPI_Count i = 0; i < count; ++i) {
    const dtype::Datatype* const type = find_datatype(array_of_types[i]);
    if (type == nullptr) check::refuse::datatype(array_of_types[i], fmt::format("array_of_types[{}]", i).c_str());
    types.emplace_back(*type);
  }
  *newtype = to_handle(dtype::compose(std::move(given), std::move(types)));
}

void type_create_resized(CountWidth form, const dtype::Datatype& oldtype, MPI_Count lb, MPI_Count extent,
                         MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::resized, form);
  given.add_address(lb);
  given.add_address(extent);
  *newtype = to_handle(dtype::resize(std::move(given), oldtype, lb, extent));
}

}  // namespace bowline::api
