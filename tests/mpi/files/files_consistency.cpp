// SPDX-License-Identifier: BSD-3-Clause
// What other ranks see of a write, and when (MPI-5.0, section 14.6); atomic mode; and writers that must not disturb
// each other.
#include <algorithm>
#include <array>
#include <numeric>

#include "files.hpp"

namespace {

constexpr int read_write = MPI_MODE_CREATE | MPI_MODE_RDWR;

// Example 14.6 of the standard: atomic mode and a barrier between a write and a read.
void check_atomic_handover(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  int flag = -1;
  MPI_File_get_atomicity(file, &flag);
  CHECK_EQ(flag, 0);
  CHECK_EQ(MPI_File_set_atomicity(file, 1), MPI_SUCCESS);
  MPI_File_get_atomicity(file, &flag);
  CHECK_EQ(flag, 1);
  if (check::size > 1) {
    CHECK_EQ(files::class_of(MPI_File_set_atomicity(file, check::rank == 0 ? 0 : 1)), MPI_ERR_NOT_SAME);
  }
  std::array<int, 10> numbers{};
  MPI_Status status;
  for (int writer = 0; writer < check::size; ++writer) {
    numbers.fill(writer + 5);
    if (check::rank == writer) CHECK_EQ(MPI_File_write_at(file, 0, numbers.data(), 10, MPI_INT, &status), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    numbers.fill(-1);
    CHECK_EQ(MPI_File_read_at(file, 0, numbers.data(), 10, MPI_INT, &status), MPI_SUCCESS);
    CHECK(std::ranges::all_of(numbers, [&](int each) { return each == writer + 5; }));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  files::close(file);
}

// Examples 14.7 and 14.8: without atomic mode, with two files opened by different calls. Few ranks write, because a
// busy disk takes long to synchronize.
void check_sync(const char* name, MPI_Comm comm) {
  MPI_File file = files::open(comm, name, read_write);
  std::array<int, 10> numbers{};
  MPI_Status status;
  for (int writer = 0; writer < std::min(check::size, 3); ++writer) {
    numbers.fill(writer + 50);
    if (check::rank == writer) CHECK_EQ(MPI_File_write_at(file, 0, numbers.data(), 10, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    numbers.fill(-1);
    CHECK_EQ(MPI_File_read_at_all(file, 0, numbers.data(), 10, MPI_INT, &status), MPI_SUCCESS);
    CHECK(std::ranges::all_of(numbers, [&](int each) { return each == writer + 50; }));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  files::close(file);
}

// Accesses that overlap: in atomic mode each read sees a whole write, pieces in the file or not.
void check_atomic(const char* name, bool scattered) {
  constexpr int length = 3000, rounds = 30;
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  CHECK_EQ(MPI_File_set_size(file, 0), MPI_SUCCESS);
  MPI_Datatype filetype = MPI_INT;
  if (scattered) {
    MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &filetype);
    MPI_Type_commit(&filetype);
  }
  CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
  CHECK_EQ(MPI_File_set_atomicity(file, 1), MPI_SUCCESS);
  std::vector<int> numbers(length);
  MPI_Status status;
  for (int round = 0; round < rounds; ++round) {
    if ((round + check::rank) % 2 == 0) {
      std::ranges::fill(numbers, check::rank * rounds + round);
      if (round % 3 == 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        CHECK_EQ(MPI_File_iwrite_at(file, 0, numbers.data(), length, MPI_INT, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
      } else {
        CHECK_EQ(MPI_File_write_at(file, 0, numbers.data(), length, MPI_INT, &status), MPI_SUCCESS);
      }
    } else {
      CHECK_EQ(MPI_File_read_at(file, 0, numbers.data(), length, MPI_INT, &status), MPI_SUCCESS);
      const int count = files::count_of(status, MPI_INT);
      CHECK(count == 0 || count == length);
      CHECK(std::all_of(numbers.begin(), numbers.begin() + count, [&](int each) { return each == numbers[0]; }));
    }
  }
  // Collective accesses are atomic, too.
  std::ranges::fill(numbers, check::rank + 1000);
  CHECK_EQ(MPI_File_write_at_all(file, 0, numbers.data(), length, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at_all(file, 0, numbers.data(), length, MPI_INT, &status), MPI_SUCCESS);
  CHECK(std::ranges::all_of(numbers, [&](int each) { return each == numbers[0]; }));
  CHECK(numbers[0] >= 1000 && numbers[0] < 1000 + check::size);
  files::close(file);
  if (scattered) MPI_Type_free(&filetype);
}

// All ranks write at the same time, some by data sieving, some in runs, each number to a place of its own: none is
// lost. `comm`: of the call of MPI_File_open, which may be one call of all ranks or one of each.
void check_writers(const char* name, MPI_Comm comm, const char* sieving) {
  constexpr int numbers = 4000, rounds = 4;
  const files::Hints hints{{"romio_ds_write", sieving}, {"ind_wr_buffer_size", "8192"}};
  if (check::rank == 0) unlink(name);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = files::open(comm, name, read_write, hints);
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(sizeof(int)) * check::size, &filetype);
  MPI_Type_commit(&filetype);
  std::vector<int> data(numbers);
  MPI_Status status;
  for (int round = 0; round < rounds; ++round) {
    std::iota(data.begin(), data.end(), (round * check::size + check::rank) * numbers);
    if ((check::rank + round) % 2 == 0 || check::size == 1) {
      const MPI_Offset disp = static_cast<MPI_Offset>(sizeof(int)) * check::rank;
      CHECK_EQ(MPI_File_set_view(file, disp, MPI_INT, filetype, "native", MPI_INFO_NULL), MPI_SUCCESS);
      MPI_Barrier(MPI_COMM_WORLD);
      CHECK_EQ(MPI_File_write_at(file, 0, data.data(), numbers, MPI_INT, &status), MPI_SUCCESS);
    } else {
      CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
      MPI_Barrier(MPI_COMM_WORLD);
      for (int i = 0; i < numbers; ++i) {
        CHECK_EQ(MPI_File_write_at(file, MPI_Offset{i} * check::size + check::rank, &data[static_cast<std::size_t>(i)],
                                   1, MPI_INT, &status),
                 MPI_SUCCESS);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check::rank == 0) {
      const files::Bytes bytes = files::bytes_of(name);
      CHECK_EQ(bytes.size(), sizeof(int) * numbers * static_cast<std::size_t>(check::size));
      std::vector<int> found(bytes.size() / sizeof(int));
      std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(found.data()));
      long lost = 0;
      for (int i = 0; i < numbers; ++i)
        for (int rank = 0; rank < check::size; ++rank)
          lost += found[static_cast<std::size_t>(i * check::size + rank)] != (round * check::size + rank) * numbers + i;
      CHECK_EQ(lost, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  files::close(file);
  MPI_Type_free(&filetype);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Accesses that have started must end before these calls.
void check_pending(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  std::vector<char> data(8 << 20, 'x');
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(MPI_File_iwrite_at(file, 0, data.data(), static_cast<int>(data.size()), MPI_CHAR, &request), MPI_SUCCESS);
  const int code = MPI_File_sync(file);
  CHECK(code == MPI_SUCCESS || files::class_of(code) == MPI_ERR_REQUEST);  // it may have ended already
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
  // A collective access that has started ends first.
  CHECK_EQ(MPI_File_iwrite_at_all(file, 100 * check::rank, data.data(), 100, MPI_CHAR, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  files::close(file);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  {
    const files::Name name("consistency");
    check_atomic_handover(name.get());
    check_sync(name.get(), MPI_COMM_WORLD);
    check_sync(name.get(), MPI_COMM_SELF);
    check_atomic(name.get(), false);
    check_atomic(name.get(), true);
    for (const char* const sieving : {"enable", "automatic", "disable"}) {
      check_writers(name.get(), MPI_COMM_WORLD, sieving);
      check_writers(name.get(), MPI_COMM_SELF, sieving);
    }
    check_pending(name.get());
  }
  return program.finish();
}
