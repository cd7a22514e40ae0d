// SPDX-License-Identifier: BSD-3-Clause
// For tests in which ranks die and the others go on (mpiexec --keep-going).
#pragma once

#include <mpi-ext.h>
#include <signal.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "check.hpp"

namespace survivors {

[[noreturn]] inline void die() {
  std::fflush(nullptr);
  raise(SIGKILL);
  std::abort();
}

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline std::string sentence_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return text.data();
}

/// A duplicate of MPI_COMM_WORLD. The errors of both are returned.
inline MPI_Comm duplicate() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &made), MPI_SUCCESS);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

/// The ranks in `comm` of the members of a group, which is freed.
inline std::vector<int> ranks_of(MPI_Group group, MPI_Comm comm) {
  MPI_Group all = MPI_GROUP_NULL;
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> numbers, ranks(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) numbers.push_back(i);
  MPI_Comm_group(comm, &all);
  MPI_Group_translate_ranks(group, size, numbers.data(), all, ranks.data());
  MPI_Group_free(&all);
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
  return ranks;
}

/// The failed members of `comm` that this process knows.
inline std::vector<int> failed(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPIX_Comm_get_failed(comm, &group), MPI_SUCCESS);
  return ranks_of(group, comm);
}

/// Acknowledges that this many members have failed, which the process may not have noticed yet.
inline void acknowledge(MPI_Comm comm, int count) {
  int acknowledged = 0;
  while (static_cast<int>(failed(comm).size()) < count) continue;
  CHECK_EQ(MPIX_Comm_ack_failed(comm, count, &acknowledged), MPI_SUCCESS);
  CHECK_EQ(acknowledged, count);
}

}  // namespace survivors
