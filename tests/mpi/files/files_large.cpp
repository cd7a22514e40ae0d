// SPDX-License-Identifier: BSD-3-Clause
// Offsets and counts that 32 bits do not hold: sparse files, so that they need neither time nor space.
#include <sys/stat.h>

#include "files.hpp"

namespace {

constexpr MPI_Offset gib = MPI_Offset{1} << 30;

void check_offsets(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Status status;
  // Around 2 GiB, 4 GiB and 1 TiB.
  for (const MPI_Offset place : {2 * gib - 3, 4 * gib - 3, 1024 * gib}) {
    const char letter = static_cast<char>('a' + check::rank);
    std::vector<char> data(7, letter), back(7);
    const MPI_Offset mine = place + 7 * check::rank;
    CHECK_EQ(MPI_File_write_at(file, mine, data.data(), 7, MPI_CHAR, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at_all(file, mine, back.data(), 7, MPI_CHAR, &status), MPI_SUCCESS);
    CHECK(back == data);
    CHECK_EQ(MPI_File_seek(file, mine, MPI_SEEK_SET), MPI_SUCCESS);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_EQ(MPI_File_iwrite_all(file, data.data(), 7, MPI_CHAR, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    MPI_Offset at = 0;
    MPI_File_get_position(file, &at);
    CHECK_EQ(at, mine + 7);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  CHECK_EQ(size, 1024 * gib + 7 * check::size);
  struct stat found {};
  stat(name, &found);
  CHECK(found.st_blocks * 512 < gib);  // holes stay holes
  // Etypes of 8 bytes: offsets that fit 32 bits lead beyond them.
  CHECK_EQ(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL), MPI_SUCCESS);
  const double number = check::rank + 0.5;
  double back = 0;
  CHECK_EQ(MPI_File_write_at(file, gib + check::rank, &number, 1, MPI_DOUBLE, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at(file, gib + check::rank, &back, 1, MPI_DOUBLE, &status), MPI_SUCCESS);
  CHECK_EQ(back, number);
  CHECK_EQ(MPI_File_get_byte_offset(file, gib, &size), MPI_SUCCESS);
  CHECK_EQ(size, 8 * gib);
  files::close(file);
}

// A filetype whose extent is beyond 4 GiB: each rank owns one block of a tile.
void check_tiles(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 5 * gib, &filetype);
  MPI_Type_commit(&filetype);
  CHECK_EQ(MPI_File_set_view(file, 4 * check::rank, MPI_INT, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
  const int numbers[4] = {check::rank, check::rank + 10, check::rank + 20, check::rank + 30};
  int back[4] = {};
  MPI_Status status;
  CHECK_EQ(MPI_File_write_all(file, numbers, 4, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_INT), 4);
  CHECK_EQ(MPI_File_read_at_all(file, 0, back, 4, MPI_INT, &status), MPI_SUCCESS);
  for (int i = 0; i < 4; ++i) CHECK_EQ(back[i], numbers[i]);
  const files::Hints hints{{"romio_cb_write", "enable"}, {"romio_cb_read", "enable"}};
  CHECK_EQ(MPI_File_set_info(file, hints), MPI_SUCCESS);
  CHECK_EQ(MPI_File_write_at_all(file, 1, numbers, 3, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at_all(file, 1, back, 3, MPI_INT, &status), MPI_SUCCESS);
  for (int i = 0; i < 3; ++i) CHECK_EQ(back[i], numbers[i]);
  MPI_Offset offset = 0;
  MPI_File_get_byte_offset(file, 3, &offset);
  CHECK_EQ(offset, 15 * gib + 4 * check::rank);
  files::close(file);
  MPI_Type_free(&filetype);
}

// More than 2 GiB at once, into and out of a hole; the memory is one element that is used again and again.
void check_counts(const char* name) {
  if (check::size > 1) return;
  MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
  CHECK_EQ(MPI_File_set_size(file, 5 * gib), MPI_SUCCESS);
  MPI_Datatype same_place = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(1 << 11, 1 << 20, 0, MPI_BYTE, &same_place);  // 2 GiB of one megabyte
  MPI_Type_commit(&same_place);
  std::vector<unsigned char> data(1 << 20, 0xff);
  MPI_Status status;
  CHECK_EQ(MPI_File_read_at(file, 1, data.data(), 1, same_place, &status), MPI_SUCCESS);
  MPI_Count elements = 0;
  MPI_Get_elements_c(&status, MPI_BYTE, &elements);
  CHECK_EQ(elements, 2 * gib);
  CHECK_EQ(data.front(), 0);
  MPI_Type_free(&same_place);
  files::close(file);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  {
    const files::Name name("large");
    check_offsets(name.get());
    if (check::rank == 0) unlink(name.get());
    MPI_Barrier(MPI_COMM_WORLD);
    check_tiles(name.get());
    if (check::rank == 0) unlink(name.get());
    MPI_Barrier(MPI_COMM_WORLD);
    check_counts(name.get());
  }
  return program.finish();
}
