// SPDX-License-Identifier: BSD-3-Clause
// Views, offsets and pointers: what the standard demands of their arguments, and where they lead.
#include <array>

#include "files.hpp"

namespace {

constexpr int read_write = MPI_MODE_CREATE | MPI_MODE_RDWR;

MPI_Datatype indexed(const std::vector<int>& lengths, const std::vector<int>& places, MPI_Datatype of) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), of, &made);
  MPI_Type_commit(&made);
  return made;
}

int set(MPI_File file, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep = "native") {
  return MPI_File_set_view(file, disp, etype, filetype, datarep, MPI_INFO_NULL);
}

void check_refusals(MPI_File file) {
  MPI_Datatype negative = indexed({1, 1}, {-2, 2}, MPI_INT), backward = indexed({1, 1}, {3, 0}, MPI_INT);
  MPI_Datatype overlap = indexed({3, 1}, {0, 1}, MPI_INT), three = indexed({3}, {0}, MPI_CHAR);
  MPI_Datatype fresh = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &fresh);
  for (MPI_Datatype type : {negative, backward, overlap}) {
    CHECK_EQ(files::class_of(set(file, 0, MPI_INT, type)), MPI_ERR_IO);
    CHECK_EQ(files::class_of(set(file, 0, type, type)), MPI_ERR_IO);
  }
  CHECK_EQ(files::class_of(set(file, 0, MPI_INT, three)), MPI_ERR_ARG);
  CHECK_EQ(files::class_of(set(file, -7, MPI_INT, MPI_INT)), MPI_ERR_ARG);
  CHECK_EQ(files::class_of(set(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT)), MPI_ERR_ARG);
  CHECK_EQ(files::class_of(set(file, 0, MPI_INT, fresh)), MPI_ERR_TYPE);
  CHECK_EQ(files::class_of(set(file, 0, MPI_DATATYPE_NULL, MPI_INT)), MPI_ERR_TYPE);
  const int code = set(file, 0, MPI_INT, MPI_INT, "martian");
  CHECK_EQ(files::class_of(code), MPI_ERR_UNSUPPORTED_DATAREP);
  CHECK(files::says(code, "martian"));
  // What one rank does wrong is an error on all of them, and nothing has changed.
  const bool wrong = check::rank == check::size - 1;
  CHECK_EQ(files::class_of(set(file, wrong ? -9 : 0, MPI_INT, MPI_INT)), MPI_ERR_ARG);
  if (check::size > 1) {
    CHECK_EQ(files::class_of(set(file, 0, wrong ? MPI_INT : MPI_DOUBLE, wrong ? MPI_INT : MPI_DOUBLE)),
             MPI_ERR_NOT_SAME);
    CHECK_EQ(files::class_of(set(file, 0, MPI_INT, MPI_INT, wrong ? "internal" : "native")), MPI_ERR_NOT_SAME);
  }
  MPI_Offset disp = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  std::array<char, MPI_MAX_DATAREP_STRING> datarep{};
  CHECK_EQ(MPI_File_get_view(file, &disp, &etype, &filetype, datarep.data()), MPI_SUCCESS);
  CHECK_EQ(disp, 0);
  CHECK(etype == MPI_BYTE && filetype == MPI_BYTE);
  CHECK_EQ(std::string(datarep.data()), "native");
  for (MPI_Datatype* type : {&negative, &backward, &overlap, &three, &fresh}) MPI_Type_free(type);
}

// Two integers of each five, from byte 10 on.
void check_offsets(MPI_File file) {
  MPI_Datatype blocks = indexed({1, 1}, {1, 3}, MPI_INT), filetype = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(blocks, 0, 5 * sizeof(int), &filetype);
  MPI_Type_commit(&filetype);
  MPI_Type_free(&blocks);
  CHECK_EQ(set(file, 10, MPI_INT, filetype, "internal"), MPI_SUCCESS);
  MPI_Offset disp = -1, at = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL, found = MPI_DATATYPE_NULL;
  std::array<char, MPI_MAX_DATAREP_STRING> datarep{};
  MPI_File_get_view(file, &disp, &etype, &found, datarep.data());
  CHECK_EQ(disp, 10);
  CHECK(etype == MPI_INT);
  int bytes = 0;
  MPI_Aint lb = -1, extent = -1;
  MPI_Type_size(found, &bytes);
  MPI_Type_get_extent(found, &lb, &extent);
  CHECK_EQ(bytes, 8);
  CHECK_EQ(extent, 20);
  CHECK_EQ(std::string(datarep.data()), "internal");
  MPI_Type_free(&found);
  MPI_Type_free(&filetype);  // the view keeps it

  for (int i = 0; i < 9; ++i) {
    CHECK_EQ(MPI_File_get_byte_offset(file, i, &at), MPI_SUCCESS);
    CHECK_EQ(at, 10 + (i / 2) * 20 + (i % 2 == 0 ? 4 : 12));
  }
  CHECK_EQ(files::class_of(MPI_File_get_byte_offset(file, -1, &at)), MPI_ERR_ARG);
  MPI_Aint in_file = 0;
  MPI_File_get_type_extent(file, MPI_DOUBLE, &in_file);
  CHECK_EQ(in_file, 8);

  // Pointers.
  CHECK_EQ(MPI_File_seek(file, 5, MPI_SEEK_SET), MPI_SUCCESS);
  CHECK_EQ(MPI_File_seek(file, -2, MPI_SEEK_CUR), MPI_SUCCESS);
  MPI_File_get_position(file, &at);
  CHECK_EQ(at, 3);
  CHECK_EQ(files::class_of(MPI_File_seek(file, -4, MPI_SEEK_CUR)), MPI_ERR_ARG);
  CHECK_EQ(files::class_of(MPI_File_seek(file, 0, 99)), MPI_ERR_ARG);
  MPI_File_get_position(file, &at);
  CHECK_EQ(at, 3);
  // The file ends in the middle of the second tile, behind its first integer: 10 + 20 + 8.
  CHECK_EQ(MPI_File_set_size(file, 10 + 20 + 8), MPI_SUCCESS);
  CHECK_EQ(MPI_File_seek(file, 0, MPI_SEEK_END), MPI_SUCCESS);
  MPI_File_get_position(file, &at);
  CHECK_EQ(at, 3);
  CHECK_EQ(MPI_File_seek_shared(file, 1, MPI_SEEK_END), MPI_SUCCESS);
  MPI_File_get_position_shared(file, &at);
  CHECK_EQ(at, 4);
  CHECK_EQ(MPI_File_seek_shared(file, -3, MPI_SEEK_CUR), MPI_SUCCESS);
  MPI_File_get_position_shared(file, &at);
  CHECK_EQ(at, 1);
  CHECK_EQ(files::class_of(MPI_File_seek_shared(file, check::rank == 0 ? -9 : -9, MPI_SEEK_CUR)), MPI_ERR_ARG);
  if (check::size > 1) {
    CHECK_EQ(files::class_of(MPI_File_seek_shared(file, check::rank == 0 ? 1 : 2, MPI_SEEK_SET)), MPI_ERR_NOT_SAME);
    CHECK_EQ(files::class_of(MPI_File_seek_shared(file, 1, check::rank == 0 ? MPI_SEEK_SET : 7)), MPI_ERR_ARG);
  }
  MPI_File_get_position_shared(file, &at);
  CHECK_EQ(at, 1);
  // A new view sets both pointers to its beginning.
  CHECK_EQ(set(file, 0, MPI_BYTE, MPI_BYTE), MPI_SUCCESS);
  MPI_File_get_position(file, &at);
  CHECK_EQ(at, 0);
  MPI_File_get_position_shared(file, &at);
  CHECK_EQ(at, 0);
}

// Accesses are whole etypes, and a view without data allows none.
void check_etypes(MPI_File file) {
  MPI_Datatype nothing = indexed({}, {}, MPI_INT);
  std::array<char, 16> data{};
  MPI_Status status;
  CHECK_EQ(set(file, 0, MPI_INT, MPI_INT), MPI_SUCCESS);
  CHECK_EQ(files::class_of(MPI_File_write_at(file, 0, data.data(), 3, MPI_CHAR, &status)), MPI_ERR_IO);
  CHECK_EQ(files::class_of(MPI_File_write_at_all(file, 0, data.data(), check::rank == 0 ? 3 : 4, MPI_CHAR, &status)),
           MPI_ERR_IO);
  CHECK_EQ(set(file, 0, MPI_INT, nothing), MPI_SUCCESS);
  CHECK_EQ(MPI_File_write_at(file, 0, data.data(), 0, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_INT), 0);
  CHECK_EQ(MPI_File_write_all(file, data.data(), 0, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(files::class_of(MPI_File_write_at(file, 0, data.data(), 1, MPI_INT, &status)), MPI_ERR_IO);
  CHECK_EQ(set(file, 0, MPI_BYTE, MPI_BYTE), MPI_SUCCESS);
  MPI_Type_free(&nothing);
}

// Only the shared pointer serves a file that is read or written from front to back.
void check_sequential(const char* name) {
  if (check::rank == 0) files::make(name, files::Bytes(100, 'x'));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
  char letter = 0;
  MPI_Status status;
  MPI_Offset at = -1;
  for (const int code :
       {MPI_File_read_at(file, 0, &letter, 1, MPI_CHAR, &status), MPI_File_read(file, &letter, 1, MPI_CHAR, &status),
        MPI_File_read_all(file, &letter, 1, MPI_CHAR, &status), MPI_File_seek(file, 0, MPI_SEEK_SET),
        MPI_File_get_position(file, &at), MPI_File_get_byte_offset(file, 0, &at)}) {
    CHECK_EQ(files::class_of(code), MPI_ERR_UNSUPPORTED_OPERATION);
  }
  CHECK_EQ(MPI_File_read_ordered(file, &letter, 1, MPI_CHAR, &status), MPI_SUCCESS);
  CHECK_EQ(letter, 'x');
  CHECK_EQ(files::class_of(set(file, 0, MPI_CHAR, MPI_CHAR)), MPI_ERR_ARG);
  CHECK_EQ(set(file, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR), MPI_SUCCESS);
  MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  std::array<char, MPI_MAX_DATAREP_STRING> datarep{};
  MPI_File_get_view(file, &at, &etype, &filetype, datarep.data());
  CHECK_EQ(at, check::size);
  files::close(file);
}

// Blocks that overlap are allowed where nothing is written, and are read as often as they stand in the view.
void check_overlaps(const char* name) {
  files::Bytes bytes(20);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
  if (check::rank == 0) files::make(name, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = files::open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY);
  MPI_Datatype twice = indexed({3, 2}, {0, 1}, MPI_CHAR);
  CHECK_EQ(set(file, 0, MPI_CHAR, twice), MPI_SUCCESS);
  const std::array<char, 10> expected = {0, 1, 2, 1, 2, 3, 4, 5, 4, 5};
  std::array<char, 10> data{};
  MPI_Status status;
  CHECK_EQ(MPI_File_read_at(file, 0, data.data(), 10, MPI_CHAR, &status), MPI_SUCCESS);
  CHECK(data == expected);
  data.fill(0);
  CHECK_EQ(MPI_File_read_at_all(file, 0, data.data(), 10, MPI_CHAR, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_CHAR), 10);
  CHECK(data == expected);
  // Tiles that interleave: 0 4 | 1 5 | 2 6 | 3 7
  MPI_Datatype pair = indexed({1, 1}, {0, 4}, MPI_CHAR), close = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(pair, 0, 1, &close);
  MPI_Type_commit(&close);
  CHECK_EQ(set(file, 0, MPI_CHAR, close), MPI_SUCCESS);
  const std::array<char, 8> woven = {0, 4, 1, 5, 2, 6, 3, 7};
  std::array<char, 8> found{};
  CHECK_EQ(MPI_File_read_all(file, found.data(), 8, MPI_CHAR, &status), MPI_SUCCESS);
  CHECK(found == woven);
  for (MPI_Datatype* type : {&twice, &pair, &close}) MPI_Type_free(type);
  files::close(file);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  {
    const files::Name name("views");
    MPI_File file = files::open(MPI_COMM_WORLD, name.get(), read_write);
    check_refusals(file);
    check_offsets(file);
    check_etypes(file);
    files::close(file);
    check_sequential(name.get());
    check_overlaps(name.get());
  }
  return program.finish();
}
