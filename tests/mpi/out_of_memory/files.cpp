// SPDX-License-Identifier: BSD-3-Clause
// Chapter: a file, with views, in every way of access. The working directory gets it.
#include "chapter.hpp"

namespace chapter {
namespace {

constexpr int count = 5000;
constexpr const char* name = "every_allocation.data";
int out[count], in[count];

void fill() {
  for (int i = 0; i < count; ++i) {
    out[i] = i + 1000 * rank;
    in[i] = -1;
  }
}
void check(const char* what) {
  for (int i = 0; i < count; ++i) right(in[i] == out[i], what);
}

void own_parts(MPI_File file) {
  const MPI_Offset place = MPI_Offset{rank} * count * static_cast<int>(sizeof(int));
  fill();
  must(MPI_File_write_at(file, place, out, count, MPI_INT, MPI_STATUS_IGNORE));
  must(MPI_File_read_at(file, place, in, count, MPI_INT, MPI_STATUS_IGNORE));
  check("write_at");
  fill();
  {
    Requests<1> request;
    must(MPI_File_iwrite_at(file, place, out, count, MPI_INT, request[0]));
    request.wait();
  }
  {
    Requests<1> request;
    must(MPI_File_iread_at(file, place, in, count, MPI_INT, request[0]));
    request.wait();
  }
  check("iwrite_at");
}

void together(MPI_File file) {
  Type view;
  must(MPI_Type_vector(count, 1, size, MPI_INT, &view));
  must(MPI_Type_commit(&view));
  must(MPI_File_set_view(file, MPI_Offset{rank} * static_cast<int>(sizeof(int)), MPI_INT, view, "native",
                         MPI_INFO_NULL));
  fill();
  must(MPI_File_write_all(file, out, count, MPI_INT, MPI_STATUS_IGNORE));
  must(MPI_File_seek(file, 0, MPI_SEEK_SET));
  must(MPI_File_read_all(file, in, count, MPI_INT, MPI_STATUS_IGNORE));
  check("write_all");
  fill();
  must(MPI_File_write_at(file, 0, out, count, MPI_INT, MPI_STATUS_IGNORE));
  must(MPI_File_read_at_all_begin(file, 0, in, count, MPI_INT));
  must(MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE));
  check("read_at_all_begin");
  fill();
  {
    Requests<1> request;
    must(MPI_File_iwrite_at_all(file, 0, out, count, MPI_INT, request[0]));
    request.wait();
  }
  must(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}

void by_shared_pointer(MPI_File file) {
  fill();
  must(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  must(MPI_File_write_ordered(file, out, count * static_cast<int>(sizeof(int)), MPI_BYTE, MPI_STATUS_IGNORE));
  must(MPI_File_write_shared(file, out, 8, MPI_BYTE, MPI_STATUS_IGNORE));
}

void run() {
  Info info;
  must(MPI_Info_create(&info));
  must(MPI_Info_set(info, "cb_buffer_size", "65536"));
  File file;
  must(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file));
  own_parts(file);
  together(file);
  by_shared_pointer(file);
  must(MPI_File_set_size(file, 100));
  must(MPI_File_sync(file));
  Info used;
  must(MPI_File_get_info(file, &used));
}

}  // namespace

const Chapter files{"files", run};

}  // namespace chapter
