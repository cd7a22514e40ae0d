// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_split_type and MPI_Get_hw_resource_info: on one node, whatever its hardware.
#include <array>
#include <cstring>
#include <string>

#include "check.hpp"

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

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
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
  return program.finish();
}
