// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 14.4.2 to 14.4.5: reading from files.
#include "api/files/data_access.hpp"
#include "bodies.hpp"
#include "dtype/datatype.hpp"
#include "mpiio/file/file.hpp"

namespace bowline::api {

// ---- explicit offsets

void file_read_at(mpiio::File& fh, MPI_Offset offset, void* buf, MPI_Count count, const dtype::Datatype& datatype,
                  MPI_Status* status) {
  access(fh, Direction::read, Start::explicit_offset(offset), {buf, count, datatype}, status);
}

void file_iread_at(mpiio::File& fh, MPI_Offset offset, void* buf, MPI_Count count, const dtype::Datatype& datatype,
                   MPI_Request* request) {
  start_access(fh, Direction::read, Start::explicit_offset(offset), {buf, count, datatype}, request);
}

void file_read_at_all(mpiio::File& fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Status* status) {
  access_all(fh, Direction::read, Start::explicit_offset(offset), {buf, count, datatype}, status);
}

void file_iread_at_all(mpiio::File& fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Request* request) {
  start_access_all(fh, Direction::read, Start::explicit_offset(offset), {buf, count, datatype}, request);
}

void file_read_at_all_begin(mpiio::File& fh, MPI_Offset offset, void* buf, MPI_Count count, MPI_Datatype datatype) {
  begin_split(fh, Direction::read, Start::explicit_offset(offset), {buf, count, datatype},
              "MPI_File_read_at_all_begin");
}

void file_read_at_all_end(mpiio::File& fh, void* buf, MPI_Status* status) {
  end_split(fh, buf, "MPI_File_read_at_all_end", status);
}

// ---- individual pointers

void file_read(mpiio::File& fh, void* buf, MPI_Count count, const dtype::Datatype& datatype, MPI_Status* status) {
  access(fh, Direction::read, at_individual_pointer, {buf, count, datatype}, status);
}

void file_iread(mpiio::File& fh, void* buf, MPI_Count count, const dtype::Datatype& datatype, MPI_Request* request) {
  start_access(fh, Direction::read, at_individual_pointer, {buf, count, datatype}, request);
}

void file_read_all(mpiio::File& fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  access_all(fh, Direction::read, at_individual_pointer, {buf, count, datatype}, status);
}

void file_iread_all(mpiio::File& fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  start_access_all(fh, Direction::read, at_individual_pointer, {buf, count, datatype}, request);
}

void file_read_all_begin(mpiio::File& fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  begin_split(fh, Direction::read, at_individual_pointer, {buf, count, datatype}, "MPI_File_read_all_begin");
}

void file_read_all_end(mpiio::File& fh, void* buf, MPI_Status* status) {
  end_split(fh, buf, "MPI_File_read_all_end", status);
}

// ---- the shared pointer

void file_read_shared(mpiio::File& fh, void* buf, MPI_Count count, const dtype::Datatype& datatype,
                      MPI_Status* status) {
  access(fh, Direction::read, at_shared_pointer, {buf, count, datatype}, status);
}

void file_iread_shared(mpiio::File& fh, void* buf, MPI_Count count, const dtype::Datatype& datatype,
                       MPI_Request* request) {
  start_access(fh, Direction::read, at_shared_pointer, {buf, count, datatype}, request);
}

void file_read_ordered(mpiio::File& fh, void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  access_all(fh, Direction::read, in_order, {buf, count, datatype}, status);
}

void file_read_ordered_begin(mpiio::File& fh, void* buf, MPI_Count count, MPI_Datatype datatype) {
  begin_split(fh, Direction::read, in_order, {buf, count, datatype}, "MPI_File_read_ordered_begin");
}

void file_read_ordered_end(mpiio::File& fh, void* buf, MPI_Status* status) {
  end_split(fh, buf, "MPI_File_read_ordered_end", status);
}

}  // namespace bowline::api
