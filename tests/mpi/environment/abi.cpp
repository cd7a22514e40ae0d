// SPDX-License-Identifier: BSD-3-Clause
// What the ABI tells of itself and what a Fortran library tells it, before MPI_Init and after MPI_Finalize too.
#include <cstdint>
#include <string>

#include "check.hpp"

namespace {

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

std::string value(MPI_Info info, const char* key) {
  std::string text(MPI_MAX_INFO_VAL, '\0');
  int length = MPI_MAX_INFO_VAL, found = 0;
  MPI_Info_get_string(info, key, &length, text.data(), &found);
  return found != 0 ? text.c_str() : "(none)";
}

void itself() {
  int major = -1, minor = -1;
  CHECK_EQ(MPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
  CHECK_EQ(major, MPI_ABI_VERSION);
  CHECK_EQ(minor, MPI_ABI_SUBVERSION);
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_Abi_get_info(&info), MPI_SUCCESS);
  CHECK_EQ(value(info, "mpi_aint_size"), std::to_string(sizeof(MPI_Aint)));
  CHECK_EQ(value(info, "mpi_count_size"), std::to_string(sizeof(MPI_Count)));
  CHECK_EQ(value(info, "mpi_offset_size"), std::to_string(sizeof(MPI_Offset)));
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

void fortran_is_unknown_at_first() {
  MPI_Info info = MPI_INFO_ENV;
  CHECK_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
  CHECK(info == MPI_INFO_NULL);
  std::int32_t yes = 7, no = 7;
  int is_set = -1;
  CHECK_EQ(MPI_Abi_get_fortran_booleans(4, &yes, &no, &is_set), MPI_SUCCESS);
  CHECK_EQ(is_set, 0);
  CHECK_EQ(yes + no, 14);
}

void tell_of_fortran() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const char* key : {"mpi_logical_size", "mpi_integer_size", "mpi_real_size"}) MPI_Info_set(info, key, "4");
  MPI_Info_set(info, "mpi_double_precision_size", "8");
  MPI_Info_set(info, "mpi_integer16_supported", "true");
  CHECK_EQ(MPI_Abi_set_fortran_info(info), MPI_SUCCESS);
  MPI_Info_free(&info);
  std::int8_t yes1 = 1, no1 = 0;
  std::int32_t yes4 = -1, no4 = 0;
  CHECK_EQ(MPI_Abi_set_fortran_booleans(1, &yes1, &no1), MPI_SUCCESS);
  CHECK_EQ(MPI_Abi_set_fortran_booleans(4, &yes4, &no4), MPI_SUCCESS);
}

void what_was_told() {
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
  CHECK_EQ(value(info, "mpi_logical_size"), "4");
  CHECK_EQ(value(info, "mpi_double_precision_size"), "8");
  CHECK_EQ(value(info, "mpi_integer16_supported"), "true");
  CHECK_EQ(value(info, "mpi_real2_supported"), "(none)");
  MPI_Info_free(&info);
  std::int8_t yes1 = 7, no1 = 7;
  std::int32_t yes4 = 7, no4 = 7;
  int is_set = -1;
  CHECK_EQ(MPI_Abi_get_fortran_booleans(1, &yes1, &no1, &is_set), MPI_SUCCESS);
  CHECK(is_set == 1 && yes1 == 1 && no1 == 0);
  CHECK_EQ(MPI_Abi_get_fortran_booleans(4, &yes4, &no4, &is_set), MPI_SUCCESS);
  CHECK(is_set == 1 && yes4 == -1 && no4 == 0);
  CHECK_EQ(MPI_Abi_get_fortran_booleans(8, &yes4, &no4, &is_set), MPI_SUCCESS);
  CHECK_EQ(is_set, 0);
}

// Errors go to the error handler of MPI_COMM_SELF.
void what_is_refused() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_info(info)), MPI_ERR_ABI);  // a second time
  MPI_Info_free(&info);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_info(MPI_INFO_NULL)), MPI_ERR_INFO);
  std::int64_t yes = 1, no = 0;
  CHECK_EQ(class_of(MPI_Abi_set_fortran_booleans(4, &yes, &no)), MPI_ERR_ABI);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_booleans(8, &no, &no)), MPI_ERR_ABI);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_booleans(3, &yes, &no)), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Abi_set_fortran_booleans(8, nullptr, &no)), MPI_ERR_ARG);
}

}  // namespace

int main(int argc, char** argv) {
  itself();
  fortran_is_unknown_at_first();
  tell_of_fortran();
  what_was_told();
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  itself();
  what_was_told();
  what_is_refused();
  // What is seen after MPI_Finalize belongs to the result.
  const int result = program.finish();
  const long failed_before = check::failed;
  itself();
  what_was_told();
  return check::failed == failed_before ? result : EXIT_FAILURE;
}
