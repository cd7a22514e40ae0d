// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_split_type and MPI_Get_hw_resource_info: on one node, whatever its hardware. No call but MPI_Init looks for
// the hardware in /sys, where large nodes have thousands of files.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

// Files and folders of /sys, without those that say how much memory is left now.
std::atomic<long> opened{0};

bool begins_with(const char* text, const char* part) {
  return std::strncmp(text, part, std::strlen(part)) == 0;
}

template <class Function>
Function* next(const char* name, const char* path) {
  if (begins_with(path, "/sys/") && !begins_with(path, "/sys/fs/cgroup/")) ++opened;
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// These stand before the C library's for every library of the process.
extern "C" {
#define VISIBLE __attribute__((used, visibility("default")))
VISIBLE FILE* fopen(const char* path, const char* mode) {
  return next<decltype(fopen)>("fopen", path)(path, mode);
}
VISIBLE FILE* fopen64(const char* path, const char* mode) {
  return next<decltype(fopen64)>("fopen64", path)(path, mode);
}
VISIBLE DIR* opendir(const char* path) {
  return next<decltype(opendir)>("opendir", path)(path);
}
VISIBLE int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return next<int(const char*, int, ...)>("open", path)(path, flags, mode);
}
VISIBLE int open64(const char* path, int flags, ...) __attribute__((alias("open")));
VISIBLE int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return next<int(int, const char*, int, ...)>("openat", path)(folder, path, flags, mode);
}
VISIBLE int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));
}

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

MPI_Comm split(int type, const char* key, const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  if (key != nullptr) {
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
  }
  MPI_Comm comm = MPI_COMM_WORLD;
  CHECK_EQ(MPI_Comm_split_type(world, type, -check::rank, info, &comm), MPI_SUCCESS);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return comm;
}

int size_of(MPI_Comm comm) {
  int size = -1;
  CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  return size;
}

void expect_everyone(MPI_Comm comm) {
  if (!CHECK(comm != MPI_COMM_NULL)) return;
  int rank = -1;
  CHECK_EQ(size_of(comm), check::size);
  CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, check::size - 1 - check::rank);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

// Whatever the hardware says, those that share it make one communicator, and those that are not bound make none.
void by_hardware(const char* name, bool bound) {
  MPI_Comm comm = split(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", name);
  CHECK_EQ(comm != MPI_COMM_NULL, bound);
  if (comm != MPI_COMM_NULL) {
    int one = 1, sum = 0;
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size_of(comm));
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  }
}

void all_hardware() {
  MPI_Info info;
  CHECK_EQ(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
  int count = 0;
  MPI_Info_get_nkeys(info, &count);
  CHECK(count >= 3);
  for (int i = 0; i < count; ++i) {
    std::array<char, MPI_MAX_INFO_KEY> key;
    std::array<char, 8> value;
    int length = 8, flag = 0;
    MPI_Info_get_nthkey(info, i, key.data());
    MPI_Info_get_string(info, key.data(), &length, value.data(), &flag);
    CHECK(std::string(value.data()) == "true" || std::string(value.data()) == "false");
    by_hardware(key.data(), std::string(value.data()) == "true");
  }
  MPI_Info_free(&info);
}

void unguided() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Comm comm;
  CHECK_EQ(MPI_Comm_split_type(world, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &comm), MPI_SUCCESS);
  if (comm != MPI_COMM_NULL) {
    CHECK(size_of(comm) < check::size);  // a part, and the info says of which hardware
    std::array<char, MPI_MAX_INFO_VAL> value;
    int length = MPI_MAX_INFO_VAL, flag = 0;
    MPI_Info_get_string(info, "mpi_hw_resource_type", &length, value.data(), &flag);
    CHECK(flag == 1 && std::strncmp(value.data(), "hwloc://", 8) == 0);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  }
  MPI_Info_free(&info);
}

// What else asks where processes run: topologies that may reorder, and the first long messages and collectives.
void other_calls() {
  const int dims[] = {check::size}, periods[] = {1};
  MPI_Comm grid = MPI_COMM_NULL, graph = MPI_COMM_NULL;
  CHECK_EQ(MPI_Cart_create(world, 1, dims, periods, 1, &grid), MPI_SUCCESS);
  const int source = check::rank, degree = 1, target = (check::rank + 1) % check::size;
  CHECK_EQ(MPI_Dist_graph_create(world, 1, &source, &degree, &target, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph),
           MPI_SUCCESS);
  std::vector<char> out(1 << 20), in(out.size());
  const int bytes = static_cast<int>(out.size());
  CHECK_EQ(MPI_Sendrecv(out.data(), bytes, MPI_BYTE, target, 0, in.data(), bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, world,
                        MPI_STATUS_IGNORE),
           MPI_SUCCESS);
  CHECK_EQ(MPI_Bcast(out.data(), bytes, MPI_BYTE, 0, grid), MPI_SUCCESS);
  MPI_Win win = MPI_WIN_NULL;
  void* base = nullptr;
  CHECK_EQ(MPI_Win_allocate(100, 1, MPI_INFO_NULL, world, &base, &win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&grid), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&graph), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  CHECK(opened > 0);  // by MPI_Init, so they are counted
  opened = 0;
  expect_everyone(split(MPI_COMM_TYPE_SHARED, nullptr, nullptr));
  expect_everyone(split(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://WORLD"));
  MPI_Comm self = split(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://SELF");
  CHECK_EQ(size_of(self), 1);
  CHECK_EQ(MPI_Comm_free(&self), MPI_SUCCESS);
  CHECK(split(MPI_UNDEFINED, nullptr, nullptr) == MPI_COMM_NULL);
  CHECK(split(MPI_COMM_TYPE_HW_GUIDED, nullptr, nullptr) == MPI_COMM_NULL);
  CHECK(split(MPI_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "teapot") == MPI_COMM_NULL);
  CHECK_EQ(MPI_Comm_split_type(world, 4711, 0, MPI_INFO_NULL, &self), MPI_ERR_ARG);
  all_hardware();
  unguided();
  other_calls();
  CHECK_EQ(opened.load(), 0);
  return program.finish();
}
