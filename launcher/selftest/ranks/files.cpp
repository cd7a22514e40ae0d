// SPDX-License-Identifier: BSD-3-Clause
// A file that all ranks write and read together, in turns of pieces.
#include <unistd.h>

#include <algorithm>

#include "launcher/selftest/ranks/part.hpp"

namespace bowline::selftest {
namespace {

constexpr std::size_t all_bytes = 16 << 20;
constexpr int piece = 64 << 10;

/// Returns whether the call succeeded; if not, the error's text is noted.
bool succeeded(int code, const char* doing) {
  if (code == MPI_SUCCESS) return true;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  note_error("file", std::string(doing) + " fails: " + text);
  return false;
}

/// Whether all ranks say so.
bool all_agree(bool mine) {
  int yes = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &yes, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return yes == 1;
}

/// The pieces of each rank lie between those of the others.
void set_view(MPI_File file, const World& self, int pieces) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(pieces, piece, piece * self.size, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, static_cast<MPI_Offset>(self.rank) * piece, MPI_BYTE, type, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
}

void write_and_read(MPI_File file, const World& self) {
  const int pieces = std::max(1, static_cast<int>(all_bytes / piece) / self.size);
  set_view(file, self, pieces);
  const int bytes = pieces * piece;
  const Bytes out = filled(static_cast<std::size_t>(bytes), static_cast<unsigned>(self.rank) + 20);
  Bytes in(out.size());
  int code = MPI_SUCCESS;
  const auto write = [&] {
    code = std::max(code, MPI_File_write_at_all(file, 0, out.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  };
  const auto read = [&] {
    code = std::max(code, MPI_File_read_at_all(file, 0, in.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
  };
  const double total = static_cast<double>(bytes) * self.size;
  const double write_time = timed(write, 20);
  if (!all_agree(succeeded(code, "writing"))) return;
  const double read_time = timed(read, 20);
  if (!all_agree(succeeded(code, "reading"))) return;
  check("file", in, static_cast<unsigned>(self.rank) + 20);
  print_rate("write", static_cast<std::size_t>(total), total / write_time);
  print_rate("read", static_cast<std::size_t>(total), total / read_time);
}

}  // namespace

void test_file(const std::string& folder) {
  const World self = world();
  int id = static_cast<int>(getpid());
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  const std::string name = folder + "/bowline-selftest-" + std::to_string(id);
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                                 MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  if (!all_agree(succeeded(code, "opening a file"))) return;
  write_and_read(file, self);
  succeeded(MPI_File_close(&file), "closing a file");
}

}  // namespace bowline::selftest
