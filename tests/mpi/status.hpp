// SPDX-License-Identifier: BSD-3-Clause
// What tests ask of a status and of an error code.
#pragma once

#include <cstddef>

#include "check.hpp"

namespace check {

inline constexpr int untouched = 4321;  // preset of MPI_ERROR, to see that it is left alone

/// A status full of values that no call would leave there.
inline MPI_Status spoilt() {
  MPI_Status status{};
  status.MPI_SOURCE = -99;
  status.MPI_TAG = -98;
  status.MPI_ERROR = untouched;
  return status;
}

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline int count_of(const MPI_Status& status, MPI_Datatype type = MPI_INT) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

inline bool cancelled(const MPI_Status& status) {
  int flag = -1;
  MPI_Test_cancelled(&status, &flag);
  return flag != 0;
}

/// The status of a request that is null or inactive (MPI-5.0, section 3.7.3).
inline bool is_empty(const MPI_Status& status) {
  return status.MPI_ERROR == MPI_SUCCESS && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG &&
         count_of(status) == 0 && !cancelled(status);
}

/// The status of a message of `count` ints.
inline bool is_message(const MPI_Status& status, int source, int tag, int count) {
  return status.MPI_SOURCE == source && status.MPI_TAG == tag && count_of(status) == count && !cancelled(status);
}

inline std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace check
