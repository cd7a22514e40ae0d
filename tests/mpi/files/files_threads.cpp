// SPDX-License-Identifier: BSD-3-Clause
// Several threads of each rank use files at the same time (MPI_THREAD_MULTIPLE): one file by several threads, and a
// file of each thread.
#include <algorithm>
#include <array>
#include <numeric>
#include <thread>

#include "files.hpp"

namespace {

constexpr int threads = 3, records = 60, length = 50;

// The threads write records of one file by the shared pointer, waiting or not, and one thread of each rank together
// with those of the other ranks.
void write_records(MPI_File file, int thread, std::vector<std::array<int, length>>& data, bool& wrong) {
  std::vector<MPI_Request> requests;
  for (int i = 0; i < records; ++i) {
    auto& record = data[static_cast<std::size_t>(i)];
    record.fill((check::rank * threads + thread) * records + i);
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    switch (i % 4) {
      case 0:
        code = thread == 0 ? MPI_File_write_ordered(file, record.data(), length, MPI_INT, &status)
                           : MPI_File_write_shared(file, record.data(), length, MPI_INT, &status);
        break;
      case 1:
        code = MPI_File_iwrite_shared(file, record.data(), length, MPI_INT, &request);
        requests.push_back(request);
        break;
      case 2:
        code = MPI_File_write_shared(file, record.data(), length, MPI_INT, MPI_STATUS_IGNORE);
        break;
      default:
        code = MPI_File_iwrite_shared(file, record.data(), length, MPI_INT, &request);
        if (code == MPI_SUCCESS) code = MPI_Wait(&request, &status);
    }
    wrong = wrong || code != MPI_SUCCESS;
  }
  wrong = wrong || MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE) != MPI_SUCCESS;
}

void check_one_file(const files::Name& name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name.get(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  std::vector<std::vector<std::array<int, length>>> data(threads, std::vector<std::array<int, length>>(records));
  std::array<bool, threads> wrong{};
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    const auto at = static_cast<std::size_t>(thread);
    running.emplace_back([&, at, thread] { write_records(file, thread, data[at], wrong[at]); });
  }
  for (std::thread& each : running) each.join();
  for (const bool each : wrong) CHECK(!each);
  files::close(file);
  const files::Bytes bytes = files::bytes_of(name.text());
  const std::size_t all = static_cast<std::size_t>(check::size) * threads * records;
  CHECK_EQ(bytes.size(), all * length * sizeof(int));
  std::vector<int> numbers(bytes.size() / sizeof(int));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(numbers.data()));
  std::vector<bool> seen(all);
  for (std::size_t i = 0; i + length <= numbers.size(); i += length) {
    const auto number = static_cast<std::size_t>(numbers[i]);
    if (!CHECK(number < all && !seen[number])) break;
    seen[number] = true;
    CHECK(std::all_of(&numbers[i], &numbers[i] + length, [&](int each) { return each == numbers[i]; }));
  }
  CHECK(std::ranges::all_of(seen, [](bool each) { return each; }));
  MPI_Barrier(MPI_COMM_WORLD);
}

// Each thread has a communicator, a file and collective accesses of its own.
void use_own_file(MPI_Comm comm, const std::string& name, int thread, bool& wrong) {
  constexpr int numbers = 5000;
  MPI_File file = MPI_FILE_NULL;
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto check = [&](int code) { wrong = wrong || code != MPI_SUCCESS; };
  check(MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file));
  if (wrong) return;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>(sizeof(int)) * size, &filetype);
  MPI_Type_commit(&filetype);
  check(
      MPI_File_set_view(file, static_cast<MPI_Offset>(sizeof(int)) * rank, MPI_INT, filetype, "native", MPI_INFO_NULL));
  std::vector<int> data(numbers), back(numbers);
  for (int round = 0; round < 4; ++round) {
    std::iota(data.begin(), data.end(), (thread * 100 + rank) * numbers + round);
    MPI_Request request = MPI_REQUEST_NULL;
    if (round % 2 == 0) {
      check(MPI_File_write_at_all(file, 0, data.data(), numbers, MPI_INT, MPI_STATUS_IGNORE));
      check(MPI_File_iread_at_all(file, 0, back.data(), numbers, MPI_INT, &request));
      check(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
      check(MPI_File_iwrite_at_all(file, 0, data.data(), numbers, MPI_INT, &request));
      check(MPI_Wait(&request, MPI_STATUS_IGNORE));
      check(MPI_File_read_at_all(file, 0, back.data(), numbers, MPI_INT, MPI_STATUS_IGNORE));
    }
    wrong = wrong || back != data;
  }
  MPI_Type_free(&filetype);
  check(MPI_File_close(&file));
}

void check_own_files(const files::Name& name) {
  std::array<MPI_Comm, threads> comms{};
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::array<bool, threads> wrong{};
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    const auto at = static_cast<std::size_t>(thread);
    running.emplace_back(
        [&, at, thread] { use_own_file(comms[at], name.text() + std::to_string(thread), thread, wrong[at]); });
  }
  for (std::thread& each : running) each.join();
  for (const bool each : wrong) CHECK(!each);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  {
    const files::Name name("threads");
    check_one_file(name);
    check_own_files(name);
  }
  return program.finish();
}
