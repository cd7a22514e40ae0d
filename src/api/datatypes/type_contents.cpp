// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 5.1.13: how a datatype was made.
#include <fmt/format.h>

#include <algorithm>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

static_assert(static_cast<int>(dtype::Combiner::named) == MPI_COMBINER_NAMED);
static_assert(static_cast<int>(dtype::Combiner::structure) == MPI_COMBINER_STRUCT);
static_assert(static_cast<int>(dtype::Combiner::f90_real) == MPI_COMBINER_F90_REAL);
static_assert(static_cast<int>(dtype::Combiner::value_index) == MPI_COMBINER_VALUE_INDEX);

void check_form(const dtype::Datatype& datatype, CountWidth form, const char* large_function) {
  if (form == CountWidth::large || datatype.envelope().counts.empty()) return;
  throw Error(ErrorClass::type, fmt::format("datatype was made with large counts (the datatype {}): ask {} how",
                                            datatype.description(), large_function));
}

void check_room(MPI_Count room, std::size_t needed, const char* name) {
  if (room >= 0 && static_cast<std::size_t>(room) >= needed) return;
  throw Error(ErrorClass::arg,
              fmt::format("{} is {}, but {} are needed, as MPI_Type_get_envelope says", name, room, needed));
}

template <class Values, class T>
void give(const Values& values, T* target, const char* name) {
  check::array(target, static_cast<MPI_Count>(values.size()), name);
  std::ranges::copy(values, target);
}

}  // namespace

void type_get_envelope(CountWidth form, const dtype::Datatype& datatype, MPI_Count* num_integers,
                       MPI_Count* num_addresses, MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  check_form(datatype, form, "MPI_Type_get_envelope_c");
  const dtype::Envelope& envelope = datatype.envelope();
  *num_integers = static_cast<MPI_Count>(envelope.integers.size());
  *num_addresses = static_cast<MPI_Count>(envelope.addresses.size());
  if (num_large_counts != nullptr) *num_large_counts = static_cast<MPI_Count>(envelope.counts.size());
  *num_datatypes = static_cast<MPI_Count>(datatype.types().size());
  *combiner = static_cast<int>(envelope.combiner);
}

void type_get_contents(CountWidth form, const dtype::Datatype& datatype, MPI_Count max_integers,
                       MPI_Count max_addresses, MPI_Count max_large_counts, MPI_Count max_datatypes,
                       int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                       MPI_Datatype array_of_datatypes[]) {
  check_form(datatype, form, "MPI_Type_get_contents_c");
  const dtype::Envelope& envelope = datatype.envelope();
  if (envelope.combiner == dtype::Combiner::named) {
    throw Error(ErrorClass::type, fmt::format("datatype is the predefined datatype {}, which has no contents: ask "
                                              "MPI_Type_get_envelope first",
                                              datatype.description()));
  }
  check_room(max_integers, envelope.integers.size(), "max_integers");
  check_room(max_addresses, envelope.addresses.size(), "max_addresses");
  if (form == CountWidth::large) check_room(max_large_counts, envelope.counts.size(), "max_large_counts");
  check_room(max_datatypes, datatype.types().size(), "max_datatypes");
  give(envelope.integers, array_of_integers, "array_of_integers");
  give(envelope.addresses, array_of_addresses, "array_of_addresses");
  if (form == CountWidth::large) give(envelope.counts, array_of_large_counts, "array_of_large_counts");
  check::array(array_of_datatypes, static_cast<MPI_Count>(datatype.types().size()), "array_of_datatypes");
  for (const dtype::TypeRef& type : datatype.types()) {
    // The user gets a handle and must free it.
    const_cast<dtype::Datatype&>(*type).add_handle();
    *array_of_datatypes++ = to_handle(*type);
  }
}

}  // namespace bowline::api
