// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 14.4.2 to 14.4.5: writing to files.
#include "api/files/data_access.hpp"
#include "bodies.hpp"
#include "dtype/datatype.hpp"
#include "mpiio/file/file.hpp"

namespace bowline::api {

// ---- explicit offsets

void file_write_at(mpiio::File& fh, MPI_Offset offset, const void* buf, MPI_Count count,
                   const dtype::Datatype& datatype, MPI_Status* status) {
  access(fh, Direction::write, Start::explicit_offset(offset), {buf, count, datatype}, status);
}

void file_iwrite_at(mpiio::File& fh, MPI_Offset offset, const void* buf, MPI_Count count,
                    const dtype::Datatype& datatype, MPI_Request* request) {
  start_access(fh, Direction::write, Start::explicit_offset(offset), {buf, count, datatype}, request);
}

void file_write_at_all(mpiio::File& fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Status* status) {
  access_all(fh, Direction::write, Start::explicit_offset(offset), {buf, count, datatype}, status);
}

void file_iwrite_at_all(mpiio::File& fh, MPI_Offset offset, const void* buf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Request* request) {
  start_access_all(fh, Direction::write, Start::explicit_offset(offset), {buf, count, datatype}, request);
}

void file_write_at_all_begin(mpiio::File& fh, MPI_Offset offset, const void* buf, MPI_Count count,
                             MPI_Datatype datatype) {
  begin_split(fh, Direction::write, Start::explicit_offset(offset), {buf, count, datatype},
              "MPI_File_write_at_all_begin");
}

void file_write_at_all_end(mpiio::File& fh, const void* buf, MPI_Status* status) {
  end_split(fh, buf, "MPI_File_write_at_all_end", status);
}

// ---- individual pointers

void file_write(mpiio::File& fh, const void* buf, MPI_Count count, const dtype::Datatype& datatype,
                MPI_Status* status) {
  access(fh, Direction::write, at_individual_pointer, {buf, count, datatype}, status);
}

void file_iwrite(mpiio::File& fh, const void* buf, MPI_Count count, const dtype::Datatype& datatype,
                 MPI_Request* request) {
  start_access(fh, Direction::write, at_individual_pointer, {buf, count, datatype}, request);
}

void file_write_all(mpiio::File& fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  access_all(fh, Direction::write, at_individual_pointer, {buf, count, datatype}, status);
}

void file_iwrite_all(mpiio::File& fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {
  start_access_all(fh, Direction::write, at_individual_pointer, {buf, count, datatype}, request);
}

void file_write_all_begin(mpiio::File& fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  begin_split(fh, Direction::write, at_individual_pointer, {buf, count, datatype}, "MPI_File_write_all_begin");
}

void file_write_all_end(mpiio::File& fh, const void* buf, MPI_Status* status) {
  end_split(fh, buf, "MPI_File_write_all_end", status);
}

// ---- the shared pointer

void file_write_shared(mpiio::File& fh, const void* buf, MPI_Count count, const dtype::Datatype& datatype,
                       MPI_Status* status) {
  access(fh, Direction::write, at_shared_pointer, {buf, count, datatype}, status);
}

void file_iwrite_shared(mpiio::File& fh, const void* buf, MPI_Count count, const dtype::Datatype& datatype,
                        MPI_Request* request) {
  start_access(fh, Direction::write, at_shared_pointer, {buf, count, datatype}, request);
}

void file_write_ordered(mpiio::File& fh, const void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) {
  access_all(fh, Direction::write, in_order, {buf, count, datatype}, status);
}

void file_write_ordered_begin(mpiio::File& fh, const void* buf, MPI_Count count, MPI_Datatype datatype) {
  begin_split(fh, Direction::write, in_order, {buf, count, datatype}, "MPI_File_write_ordered_begin");
}

void file_write_ordered_end(mpiio::File& fh, const void* buf, MPI_Status* status) {
  end_split(fh, buf, "MPI_File_write_ordered_end", status);
}

}  // namespace bowline::api
