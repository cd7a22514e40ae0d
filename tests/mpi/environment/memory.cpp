// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alloc_mem and MPI_Free_mem: aligned memory that messages can use, and what is refused.
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "check.hpp"

namespace {

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

bool aligned(const void* block, std::uintptr_t bytes) {
  return block != nullptr && reinterpret_cast<std::uintptr_t>(block) % bytes == 0;
}

MPI_Info with(const char* key, const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

void blocks_carry_messages() {
  for (const MPI_Aint size : {MPI_Aint{1}, MPI_Aint{4096}, MPI_Aint{3} << 20}) {
    char* block = nullptr;
    CHECK_EQ(MPI_Alloc_mem(size, MPI_INFO_NULL, static_cast<void*>(&block)), MPI_SUCCESS);
    CHECK(aligned(block, 64));
    std::memset(block, check::rank + 1, static_cast<std::size_t>(size));
    std::vector<char> got(static_cast<std::size_t>(size));
    MPI_Sendrecv(block, static_cast<int>(size), MPI_BYTE, check::right(), 0, got.data(), static_cast<int>(size),
                 MPI_BYTE, check::left(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(static_cast<int>(got.back()), check::left() + 1);
    CHECK_EQ(MPI_Free_mem(block), MPI_SUCCESS);
  }
}

void nothing_is_a_block_too() {
  void* one = nullptr;
  void* other = nullptr;
  CHECK_EQ(MPI_Alloc_mem(0, MPI_INFO_NULL, static_cast<void*>(&one)), MPI_SUCCESS);
  CHECK_EQ(MPI_Alloc_mem(0, MPI_INFO_NULL, static_cast<void*>(&other)), MPI_SUCCESS);
  CHECK(one != nullptr && one != other);
  CHECK_EQ(MPI_Free_mem(one), MPI_SUCCESS);
  CHECK_EQ(MPI_Free_mem(other), MPI_SUCCESS);
  CHECK_EQ(MPI_Free_mem(nullptr), MPI_SUCCESS);
}

void alignment_is_kept() {
  for (const char* bytes : {"1", "64", "4096", "1048576"}) {
    MPI_Info info = with("mpi_minimum_memory_alignment", bytes);
    void* block = nullptr;
    CHECK_EQ(MPI_Alloc_mem(100, info, static_cast<void*>(&block)), MPI_SUCCESS);
    CHECK(aligned(block, std::stoul(bytes)));
    CHECK_EQ(MPI_Free_mem(block), MPI_SUCCESS);
    MPI_Info_free(&info);
  }
}

void other_hints_are_ignored() {
  MPI_Info info = with("mpi_memory_alloc_kinds", "mpi,cuda:device");
  void* block = nullptr;
  CHECK_EQ(MPI_Alloc_mem(8, info, static_cast<void*>(&block)), MPI_SUCCESS);
  CHECK_EQ(MPI_Free_mem(block), MPI_SUCCESS);
  MPI_Info_free(&info);
}

void what_cannot_be_is_refused() {
  int here = 0;
  void* block = &here;
  CHECK_EQ(class_of(MPI_Alloc_mem(-1, MPI_INFO_NULL, static_cast<void*>(&block))), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Alloc_mem(std::numeric_limits<MPI_Aint>::max() / 2, MPI_INFO_NULL, static_cast<void*>(&block))),
           MPI_ERR_NO_MEM);
  CHECK_EQ(class_of(MPI_Alloc_mem(1, MPI_INFO_NULL, nullptr)), MPI_ERR_ARG);
  for (const char* bytes : {"3", "0", "-8", "many"}) {
    MPI_Info info = with("mpi_minimum_memory_alignment", bytes);
    CHECK_EQ(class_of(MPI_Alloc_mem(1, info, static_cast<void*>(&block))), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
  }
  CHECK_EQ(block, static_cast<void*>(&here));

  CHECK_EQ(class_of(MPI_Free_mem(&here)), MPI_ERR_BASE);
  char* twice = nullptr;
  MPI_Alloc_mem(16, MPI_INFO_NULL, static_cast<void*>(&twice));
  CHECK_EQ(class_of(MPI_Free_mem(twice + 1)), MPI_ERR_BASE);
  CHECK_EQ(MPI_Free_mem(twice), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Free_mem(twice)), MPI_ERR_BASE);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  blocks_carry_messages();
  nothing_is_a_block_too();
  alignment_is_kept();
  other_hints_are_ignored();
  what_cannot_be_is_refused();
  return program.finish();
}
