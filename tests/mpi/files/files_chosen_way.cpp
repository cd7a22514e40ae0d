// SPDX-License-Identifier: BSD-3-Clause
// Collective reads of one file again and again, so that the ranks try windows and pieces: every read is right, also if
// another length, a read that does not block, a write or an error is mixed in.
#include <algorithm>
#include <vector>

#include "files.hpp"

namespace {

constexpr int most_piece = 8192, pieces = 12, reads = 40;

unsigned char value_at(std::size_t place) {
  return static_cast<unsigned char>(place * 7 + place / 251);
}

/// Each rank has every size-th piece.
void view_pieces(MPI_File file, int piece) {
  MPI_Datatype one = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(piece, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, static_cast<MPI_Aint>(piece) * check::size, &filetype);
  MPI_Type_commit(&filetype);
  const MPI_Offset begin = static_cast<MPI_Offset>(piece) * check::rank;
  CHECK_EQ(MPI_File_set_view(file, begin, MPI_BYTE, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
  MPI_Type_free(&one);
  MPI_Type_free(&filetype);
}

bool is_right(const files::Bytes& data, int piece) {
  const auto length = static_cast<std::size_t>(piece), size = static_cast<std::size_t>(check::size);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t round = i / length;
    if (data[i] != value_at((round * size + static_cast<std::size_t>(check::rank)) * length + i % length)) return false;
  }
  return true;
}

void read(MPI_File file, int piece, bool waits) {
  files::Bytes data(static_cast<std::size_t>(piece) * pieces);
  const int count = static_cast<int>(data.size());
  MPI_Status status;
  if (waits) {
    CHECK_EQ(MPI_File_read_at_all(file, 0, data.data(), count, MPI_BYTE, &status), MPI_SUCCESS);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_EQ(MPI_File_iread_at_all(file, 0, data.data(), count, MPI_BYTE, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  }
  int got = 0;
  MPI_Get_count(&status, MPI_BYTE, &got);
  CHECK_EQ(got, count);
  CHECK(is_right(data, piece));
}

void write_own(MPI_File file, int piece) {
  files::Bytes data(static_cast<std::size_t>(piece));
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = value_at(static_cast<std::size_t>(check::rank) * data.size() + i);
  CHECK_EQ(MPI_File_write_at_all(file, 0, data.data(), piece, MPI_BYTE, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/// A call that all ranks refuse, because the last one gives a wrong offset.
void fail(MPI_File file) {
  files::Bytes data(100);
  const MPI_Offset offset = check::rank == check::size - 1 ? -5 : 0;
  CHECK(files::class_of(MPI_File_read_at_all(file, offset, data.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE)) !=
        MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  {
    const files::Name name("chosen_way");
    if (check::rank == 0) {
      files::Bytes all(static_cast<std::size_t>(most_piece) * pieces * static_cast<std::size_t>(check::size));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = value_at(i);
      files::make(name.text(), all);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File file = files::open(MPI_COMM_WORLD, name.get(), MPI_MODE_RDWR);
    for (int i = 0; i < reads; ++i) {
      for (const int piece : {4096, 1500, most_piece}) {
        view_pieces(file, piece);
        read(file, piece, true);
        if (i % 3 == 0) read(file, piece, false);
        if (i % 5 == 0) write_own(file, piece);
        if (i % 7 == 0) fail(file);
      }
    }
    files::close(file);
  }
  return program.finish();
}
