// SPDX-License-Identifier: BSD-3-Clause
// More than 2 GiB of data, and more than 2 to the 31st elements, moved in little memory: elements of extent 0 lie all
// at one address, and what they become goes to pages that are mapped over and over again. Argument: the bytes in each
// of the blocks that the data consist of.
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "check.hpp"

namespace {

constexpr std::size_t window = std::size_t{4} << 20;  // of memory that there really is
constexpr MPI_Count limit = MPI_Count{1} << 31;

// An array of `bytes` bytes in which every byte is also `window` bytes further on.
class Echo {
 public:
  explicit Echo(std::size_t bytes) : bytes_((bytes + window - 1) / window * window) {
    const int file = memfd_create("echo", MFD_CLOEXEC);
    CHECK(file >= 0 && ftruncate(file, window) == 0);
    base_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    CHECK(base_ != MAP_FAILED);
    for (std::size_t at = 0; at < bytes_; at += window) {
      CHECK(mmap(base_ + at, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == base_ + at);
    }
    close(file);
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;
  ~Echo() { munmap(base_, bytes_); }

  char* data() { return base_; }

 private:
  std::size_t bytes_;
  char* base_ = nullptr;
};

// `count` times the same `block` bytes.
void move(int block, MPI_Count count) {
  const MPI_Count bytes = block * count;
  MPI_Datatype plain = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_contiguous(block, MPI_BYTE, &plain), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_create_resized(plain, 0, 0, &type), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&plain), MPI_SUCCESS);
  std::vector<char> source(static_cast<std::size_t>(block));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(i * 7 + 1);
  Echo target(static_cast<std::size_t>(bytes) + 1);
  std::memset(target.data(), 0, window);
  MPI_Count position = 0;
  CHECK_EQ(MPI_Pack_c(source.data(), count, type, target.data(), bytes, &position, MPI_COMM_SELF), MPI_SUCCESS);
  CHECK_EQ(position, bytes);
  CHECK_EQ(std::memcmp(target.data(), source.data(), source.size()), 0);
  CHECK_EQ(std::memcmp(target.data() + window - source.size(), source.data(), source.size()), 0);
  std::memset(target.data(), 0, window);
  MPI_Status status;
  CHECK_EQ(
      MPI_Sendrecv_c(source.data(), count, type, 0, 1, target.data(), bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF, &status),
      MPI_SUCCESS);
  CHECK_EQ(std::memcmp(target.data(), source.data(), source.size()), 0);
  CHECK_EQ(std::memcmp(target.data() + window - source.size(), source.data(), source.size()), 0);
  MPI_Count received = -1, elements = -1;
  CHECK_EQ(MPI_Get_count_c(&status, type, &received), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_elements_c(&status, type, &elements), MPI_SUCCESS);
  CHECK_EQ(received, count);
  CHECK_EQ(elements, bytes);
  CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const int block = argc > 1 ? std::atoi(argv[1]) : 1;
  move(block, limit / block + 5);
  return program.finish();
}
