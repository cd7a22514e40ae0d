// SPDX-License-Identifier: BSD-3-Clause
// File pointers: the individual ones, and the shared one in all its functions.
#include <algorithm>
#include <array>
#include <numeric>

#include "files.hpp"

namespace {

constexpr int read_write = MPI_MODE_CREATE | MPI_MODE_RDWR;

MPI_File fresh(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  CHECK_EQ(MPI_File_set_size(file, 0), MPI_SUCCESS);
  CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_SUCCESS);
  return file;
}

std::vector<int> contents(const std::string& name) {
  const files::Bytes bytes = files::bytes_of(name);
  std::vector<int> numbers(bytes.size() / sizeof(int));
  std::copy_n(bytes.data(), numbers.size() * sizeof(int), reinterpret_cast<unsigned char*>(numbers.data()));
  return numbers;
}

// Each rank appends records of its own by the shared pointer, in turns that nobody knows: none is lost or torn.
void check_shared(const std::string& name, bool nonblocking) {
  MPI_File file = fresh(name.c_str());
  constexpr int records = 40;
  std::vector<std::array<int, 3>> mine(records);
  std::vector<MPI_Request> requests(records, MPI_REQUEST_NULL);
  for (int i = 0; i < records; ++i) {
    const int length = 1 + (i + check::rank) % 3;  // 1 to 3 numbers
    std::array<int, 3>& record = mine[static_cast<std::size_t>(i)];
    record.fill(check::rank * 1000 + i);
    if (nonblocking) {
      CHECK_EQ(MPI_File_iwrite_shared(file, record.data(), length, MPI_INT, &requests[static_cast<std::size_t>(i)]),
               MPI_SUCCESS);
    } else {
      MPI_Status status;
      CHECK_EQ(MPI_File_write_shared(file, record.data(), length, MPI_INT, &status), MPI_SUCCESS);
      CHECK_EQ(files::count_of(status, MPI_INT), length);
    }
  }
  MPI_Waitall(records, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset position = -1;
  MPI_File_get_position_shared(file, &position);
  const std::vector<int> found = contents(name);
  CHECK_EQ(position, static_cast<MPI_Offset>(found.size()));
  std::vector<int> last(static_cast<std::size_t>(check::size), -1);
  for (std::size_t at = 0; at < found.size();) {
    const int rank = found[at] / 1000, i = found[at] % 1000;
    if (!CHECK(rank >= 0 && rank < check::size && i < records)) break;
    CHECK_EQ(i, last[static_cast<std::size_t>(rank)] + 1);  // in the order of the rank's calls
    last[static_cast<std::size_t>(rank)] = i;
    for (int n = 1 + (i + rank) % 3; n > 0; --n, ++at) CHECK_EQ(found[at], rank * 1000 + i);
  }
  for (const int i : last) CHECK_EQ(i, records - 1);

  // Reading by it, everyone gets something else.
  CHECK_EQ(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), MPI_SUCCESS);
  std::vector<int> read;
  for (;;) {
    int number = -1;
    MPI_Status status;
    if (nonblocking) {
      MPI_Request request = MPI_REQUEST_NULL;
      CHECK_EQ(MPI_File_iread_shared(file, &number, 1, MPI_INT, &request), MPI_SUCCESS);
      CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    } else {
      CHECK_EQ(MPI_File_read_shared(file, &number, 1, MPI_INT, &status), MPI_SUCCESS);
    }
    if (files::count_of(status, MPI_INT) == 0) break;
    read.push_back(number);
  }
  int count = static_cast<int>(read.size()), all = 0;
  long sum = std::accumulate(read.begin(), read.end(), 0L), all_sum = 0;
  MPI_Allreduce(&count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &all_sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK_EQ(all, static_cast<int>(found.size()));
  CHECK_EQ(all_sum, std::accumulate(found.begin(), found.end(), 0L));
  files::close(file);
}

// In the order of ranks, with different lengths.
void check_ordered(const std::string& name, bool split) {
  MPI_File file = fresh(name.c_str());
  const int mine = check::rank % 3;  // 0 to 2 numbers
  std::array<int, 2> numbers{};
  MPI_Status status;
  int total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::vector<int> expected;
  for (int round = 0; round < 3; ++round) {
    numbers.fill(round * 100 + check::rank);
    if (split) {
      CHECK_EQ(MPI_File_write_ordered_begin(file, numbers.data(), mine, MPI_INT), MPI_SUCCESS);
      CHECK_EQ(MPI_File_write_ordered_end(file, numbers.data(), &status), MPI_SUCCESS);
    } else {
      CHECK_EQ(MPI_File_write_ordered(file, numbers.data(), mine, MPI_INT, &status), MPI_SUCCESS);
    }
    CHECK_EQ(files::count_of(status, MPI_INT), mine);
    for (int rank = 0; rank < check::size; ++rank)
      expected.insert(expected.end(), static_cast<std::size_t>(rank % 3), round * 100 + rank);
  }
  MPI_Offset position = -1;
  MPI_File_get_position_shared(file, &position);
  CHECK_EQ(position, 3 * total);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(contents(name) == expected);
  CHECK_EQ(MPI_File_seek_shared(file, total, MPI_SEEK_SET), MPI_SUCCESS);
  numbers.fill(-1);
  if (split) {
    CHECK_EQ(MPI_File_read_ordered_begin(file, numbers.data(), mine, MPI_INT), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_ordered_end(file, numbers.data(), &status), MPI_SUCCESS);
  } else {
    CHECK_EQ(MPI_File_read_ordered(file, numbers.data(), mine, MPI_INT, &status), MPI_SUCCESS);
  }
  for (int i = 0; i < mine; ++i) CHECK_EQ(numbers[static_cast<std::size_t>(i)], 100 + check::rank);
  files::close(file);
}

void check_individual(const std::string& name) {
  MPI_File file = fresh(name.c_str());
  MPI_Status status;
  MPI_Offset position = -1;
  CHECK_EQ(MPI_File_seek(file, check::rank * 10, MPI_SEEK_SET), MPI_SUCCESS);
  std::array<MPI_Request, 5> requests{};
  std::array<std::array<int, 2>, 5> data{};
  for (int i = 0; i < 5; ++i) {
    const auto at = static_cast<std::size_t>(i);
    data[at] = {check::rank * 100 + 2 * i, check::rank * 100 + 2 * i + 1};
    CHECK_EQ(MPI_File_iwrite(file, data[at].data(), 2, MPI_INT, &requests[at]), MPI_SUCCESS);
    MPI_File_get_position(file, &position);
    CHECK_EQ(position, check::rank * 10 + 2 * (i + 1));  // at once, not when the access ends
  }
  CHECK_EQ(MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_File_seek(file, check::rank * 10, MPI_SEEK_SET), MPI_SUCCESS);
  std::array<int, 10> back{};
  CHECK_EQ(MPI_File_read(file, back.data(), 10, MPI_INT, &status), MPI_SUCCESS);
  for (int i = 0; i < 10; ++i) CHECK_EQ(back[static_cast<std::size_t>(i)], check::rank * 100 + i);
  // At the end of the file the status tells how much there was.
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_EQ(MPI_File_seek(file, -3, MPI_SEEK_END), MPI_SUCCESS);
  back.fill(-7);
  CHECK_EQ(MPI_File_read(file, back.data(), 10, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_INT), 3);
  CHECK_EQ(back[2], (check::size - 1) * 100 + 9);
  CHECK_EQ(back[3], -7);
  files::close(file);
}

// MPI_MODE_APPEND: all pointers begin at the end.
void check_append(const std::string& name) {
  if (check::rank == 0) files::make(name, files::Bytes(7, 'x'));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = files::open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_WRONLY | MPI_MODE_APPEND);
  MPI_Offset position = -1;
  MPI_File_get_position(file, &position);
  CHECK_EQ(position, 7);
  MPI_File_get_position_shared(file, &position);
  CHECK_EQ(position, 7);
  const char letter = static_cast<char>('a' + check::rank);
  MPI_Status status;
  CHECK_EQ(MPI_File_write_ordered(file, &letter, 1, MPI_CHAR, &status), MPI_SUCCESS);
  files::close(file);
  const files::Bytes bytes = files::bytes_of(name);
  CHECK_EQ(bytes.size(), static_cast<std::size_t>(7 + check::size));
  CHECK_EQ(bytes.back(), 'a' + check::size - 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

// One split access at a time, ended with its own buffer.
void check_split(const std::string& name) {
  MPI_File file = fresh(name.c_str());
  int number = check::rank, other = 0;
  MPI_Status status;
  CHECK_EQ(files::class_of(MPI_File_write_all_end(file, &number, &status)), MPI_ERR_IO);
  CHECK_EQ(MPI_File_write_at_all_begin(file, check::rank, &number, 1, MPI_INT), MPI_SUCCESS);
  int code = MPI_File_write_at_all_begin(file, check::rank, &other, 1, MPI_INT);
  CHECK_EQ(files::class_of(code), MPI_ERR_IO);
  CHECK(files::says(code, "MPI_File_write_at_all_begin"));
  CHECK_EQ(files::class_of(MPI_File_write_at_all_end(file, &other, &status)), MPI_ERR_ARG);
  CHECK_EQ(MPI_File_write_at_all_end(file, &number, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_INT), 1);
  CHECK_EQ(MPI_File_read_at_all_begin(file, check::right(), &other, 1, MPI_INT), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at_all_end(file, &other, &status), MPI_SUCCESS);
  CHECK_EQ(other, check::right());
  // An access that the user has not ended ends when the file is closed.
  CHECK_EQ(MPI_File_write_all_begin(file, &number, 1, MPI_INT), MPI_SUCCESS);
  files::close(file);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  {
    const files::Name name("pointers");
    check_individual(name.text());
    check_shared(name.text(), false);
    check_shared(name.text(), true);
    check_ordered(name.text(), false);
    check_ordered(name.text(), true);
    check_append(name.text());
    check_split(name.text());
  }
  return program.finish();
}
