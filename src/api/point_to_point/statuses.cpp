// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 3.2.5, 3.8.4, 5.1.11 and 13.3: reading and writing statuses.
#include <fmt/format.h>

#include <cstring>

#include "api/entry/status_values.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "dtype/datatype.hpp"
#include "dtype/elements.hpp"

namespace bowline::api {

void test_cancelled(const MPI_Status* status, int* flag) {
  *flag = read_status(*status).cancelled ? 1 : 0;
}

void status_set_cancelled(MPI_Status* status, int flag) {
  status->MPI_internal[status_cancelled_word] = flag != 0 ? 1 : 0;
}

void status_set_elements(MPI_Status* status, const dtype::Datatype& datatype, MPI_Count count) {
  const auto bytes = dtype::bytes_of(datatype, count);
  if (!bytes) {
    throw Error(ErrorClass::count, fmt::format("count is {}, but so many elements of the datatype {} are no number of "
                                               "bytes that a status can hold",
                                               count, datatype.description()));
  }
  std::memcpy(&status->MPI_internal[status_bytes_word], &*bytes, sizeof *bytes);
}

void status_set_elements_x(MPI_Status* status, const dtype::Datatype& datatype, MPI_Count count) {
  status_set_elements(status, datatype, count);
}

void get_count(const MPI_Status* status, const dtype::Datatype& datatype, MPI_Count* count) {
  const MPI_Count bytes = status_bytes(*status);
  const auto size = static_cast<MPI_Count>(datatype.size());
  if (size == 0) {
    *count = bytes == 0 ? 0 : MPI_UNDEFINED;
  } else {
    *count = bytes % size == 0 ? bytes / size : MPI_UNDEFINED;
  }
}

void get_elements(const MPI_Status* status, const dtype::Datatype& datatype, MPI_Count* count) {
  *count = dtype::elements_in(datatype, static_cast<std::size_t>(status_bytes(*status))).value_or(MPI_UNDEFINED);
}

void get_elements_x(const MPI_Status* status, const dtype::Datatype& datatype, MPI_Count* count) {
  get_elements(status, datatype, count);
}

void status_get_source(const MPI_Status* status, int* source) {
  *source = status->MPI_SOURCE;
}
void status_get_tag(const MPI_Status* status, int* tag) {
  *tag = status->MPI_TAG;
}
void status_get_error(const MPI_Status* status, int* err) {
  *err = status->MPI_ERROR;
}
void status_set_source(MPI_Status* status, int source) {
  status->MPI_SOURCE = source;
}
void status_set_tag(MPI_Status* status, int tag) {
  status->MPI_TAG = tag;
}
void status_set_error(MPI_Status* status, int err) {
  status->MPI_ERROR = err;
}

}  // namespace bowline::api
