// SPDX-License-Identifier: BSD-3-Clause
// What the point-to-point test programs share: message contents that tell sender, tag and position, and what a status
// must say.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "check.hpp"

using Bytes = std::vector<unsigned char>;

// The contents of a message: two seeds, or two lengths, give different bytes almost everywhere.
inline Bytes contents(std::size_t bytes, int seed) {
  Bytes all(bytes);
  unsigned state = static_cast<unsigned>(seed) * 2654435761U + static_cast<unsigned>(bytes);
  for (unsigned char& byte : all) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return all;
}

inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

inline int bytes_in(const MPI_Status& status) {
  int count = -1;
  MPI_Get_count(&status, MPI_BYTE, &count);
  return count;
}

inline bool cancelled(const MPI_Status& status) {
  int flag = -1;
  MPI_Test_cancelled(&status, &flag);
  return flag != 0;
}

inline void check_status_at(const MPI_Status& status, int source, int tag, int bytes, const char* file, int line) {
  ::check::equal(status.MPI_SOURCE, source, "source", file, line);
  ::check::equal(status.MPI_TAG, tag, "tag", file, line);
  ::check::equal(bytes_in(status), bytes, "bytes", file, line);
  ::check::that(!cancelled(status), "not cancelled", file, line);
}
#define CHECK_STATUS(status, source, tag, bytes) check_status_at((status), (source), (tag), (bytes), __FILE__, __LINE__)
#define CHECK_EMPTY(status) check_status_at((status), MPI_ANY_SOURCE, MPI_ANY_TAG, 0, __FILE__, __LINE__)
#define CHECK_NO_PROC(status) check_status_at((status), MPI_PROC_NULL, MPI_ANY_TAG, 0, __FILE__, __LINE__)

// A status that no call has written: what stays in it after a call was not set.
inline MPI_Status unset_status() {
  MPI_Status status{};
  status.MPI_SOURCE = status.MPI_TAG = status.MPI_ERROR = -77;
  return status;
}

// The process's buffer for buffered sends, from here to the end of the scope, which waits for what is in it.
class AttachedBuffer {
 public:
  explicit AttachedBuffer(std::size_t bytes) : memory_(bytes) {
    CHECK_EQ(MPI_Buffer_attach(memory_.data(), static_cast<int>(bytes)), MPI_SUCCESS);
  }
  AttachedBuffer(const AttachedBuffer&) = delete;
  AttachedBuffer& operator=(const AttachedBuffer&) = delete;
  ~AttachedBuffer() {
    void* address = nullptr;
    int size = -1;
    CHECK_EQ(MPI_Buffer_detach(&address, &size), MPI_SUCCESS);
    CHECK(address == memory_.data());
    CHECK_EQ(static_cast<std::size_t>(size), memory_.size());
  }

 private:
  Bytes memory_;
};
