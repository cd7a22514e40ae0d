// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 5: datatypes. So far the predefined ones, and what can be asked of them.
#include "api/handles.hpp"
#include "bodies.hpp"

namespace bowline::api {

void get_count(const MPI_Status* status, const dtype::Datatype& datatype, MPI_Count* count) {
  const MPI_Count bytes = status_bytes(*status);
  const auto size = static_cast<MPI_Count>(datatype.size());
  *count = bytes % size == 0 ? bytes / size : MPI_UNDEFINED;
}

void type_size(const dtype::Datatype& datatype, MPI_Count* size) {
  *size = static_cast<MPI_Count>(datatype.size());
}

void type_get_extent(const dtype::Datatype& datatype, MPI_Count* lb, MPI_Count* extent) {
  *lb = 0;
  *extent = datatype.extent();
}

}  // namespace bowline::api
