// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 3.2.5, 3.8.4 and 13.3: reading and writing statuses.
#include <cstring>

#include "api/handles.hpp"
#include "bodies.hpp"

namespace bowline::api {

void test_cancelled(const MPI_Status* status, int* flag) {
  *flag = read_status(*status).cancelled ? 1 : 0;
}

void status_set_cancelled(MPI_Status* status, int flag) {
  status->MPI_internal[status_cancelled_word] = flag != 0 ? 1 : 0;
}

void status_set_elements(MPI_Status* status, const dtype::Datatype& datatype, MPI_Count count) {
  // The datatypes so far have as many basic elements as their size says: no partial ones are possible.
  const MPI_Count bytes = count * static_cast<MPI_Count>(datatype.size());
  std::memcpy(&status->MPI_internal[status_bytes_word], &bytes, sizeof bytes);
}

void status_set_elements_x(MPI_Status* status, const dtype::Datatype& datatype, MPI_Count count) {
  status_set_elements(status, datatype, count);
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
