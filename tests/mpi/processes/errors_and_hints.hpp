// SPDX-License-Identifier: BSD-3-Clause
// Error codes in words, and info objects, for tests of the functions that start and connect jobs.
#pragma once

#include <mpi.h>

#include <array>
#include <initializer_list>
#include <string>
#include <utility>

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return text.data();
}

/// An info object with these keys and values.
class Hints {
 public:
  Hints(std::initializer_list<std::pair<const char*, std::string>> hints) {
    MPI_Info_create(&info_);
    for (const auto& [key, value] : hints) MPI_Info_set(info_, key, value.c_str());
  }
  Hints(const Hints&) = delete;
  Hints& operator=(const Hints&) = delete;
  ~Hints() { MPI_Info_free(&info_); }
  operator MPI_Info() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};
