// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 5: committing, freeing and duplicating datatypes, their names, sizes and bounds; addresses.
#include <algorithm>
#include <cstring>
#include <string>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "base/handle_numbers.hpp"
#include "bodies.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/value_index.hpp"

namespace bowline::api {

void type_commit(MPI_Datatype* datatype) {
  check::datatype(*datatype, "datatype").commit();
}

void type_free(MPI_Datatype* datatype) {
  dtype::Datatype& freed = check::datatype(*datatype, "datatype");
  if (freed.predefined() || dtype::is_value_index(freed)) {
    throw Error(ErrorClass::type, "datatype is the predefined datatype " + freed.description() +
                                      ", which cannot be freed: free those that this program has made");
  }
  if (freed.last_handle()) {
    freed.attributes().remove_all(*datatype);
    handle_numbers().forget(handle_value(*datatype));
  }
  freed.drop_handle();
  *datatype = MPI_DATATYPE_NULL;
}

void type_dup(const dtype::Datatype& oldtype, MPI_Datatype* newtype) {
  dtype::Datatype& made = dtype::duplicate(oldtype);
  try {
    oldtype.attributes().copy_to(made.attributes(), to_handle(oldtype));
  } catch (...) {
    made.attributes().remove_all(to_handle(made));
    made.drop_handle();
    throw;
  }
  *newtype = to_handle(made);
}

// ---- names

void type_set_name(dtype::Datatype& datatype, const char* type_name) {
  datatype.set_name(std::string(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1)));
}

// The null handle has a name, too.
void type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  const bool null = datatype == MPI_DATATYPE_NULL;
  const char* const name = null ? "MPI_DATATYPE_NULL" : check::datatype(datatype, "datatype").name();
  const std::size_t length = std::strlen(name);
  std::memcpy(type_name, name, length + 1);
  *resultlen = static_cast<int>(length);
}

// ---- size and bounds

void type_size(const dtype::Datatype& datatype, MPI_Count* size) {
  *size = static_cast<MPI_Count>(datatype.size());
}

void type_size_x(const dtype::Datatype& datatype, MPI_Count* size) {
  type_size(datatype, size);
}

void type_get_extent(const dtype::Datatype& datatype, MPI_Count* lb, MPI_Count* extent) {
  *lb = datatype.bounds().lb;
  *extent = datatype.extent();
}

void type_get_extent_x(const dtype::Datatype& datatype, MPI_Count* lb, MPI_Count* extent) {
  type_get_extent(datatype, lb, extent);
}

void type_get_true_extent(const dtype::Datatype& datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  *true_lb = datatype.bounds().true_lb;
  *true_extent = datatype.bounds().true_ub - datatype.bounds().true_lb;
}

void type_get_true_extent_x(const dtype::Datatype& datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  type_get_true_extent(datatype, true_lb, true_extent);
}

// ---- addresses

void get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
}

// The addresses are added as unsigned numbers, so that addresses on either side of the middle of the address space do
// not overflow.
MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}

MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

}  // namespace bowline::api
