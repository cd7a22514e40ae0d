// SPDX-License-Identifier: BSD-3-Clause
// What the chapters of every_allocation.cpp are made of. A chapter is a function that calls MPI for one thing after the
// other and throws at the first call that fails; what it has made then goes.
//
// A chapter allocates nothing itself, so that each request for memory that fails is the library's.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace chapter {

inline int rank = -1, size = 0;

// A call of MPI has returned this error.
struct Refused {
  int error;
};
// A call has succeeded, and its result is wrong.
struct Wrong {
  const char* what;
};

// Ends the job. With other ranks nothing can go: they may wait for this one, and freeing a window waits for them.
[[noreturn]] void end_job(int error);

inline void must(int error) {
  if (error == MPI_SUCCESS) return;
  if (size > 1) end_job(error);
  throw Refused{error};
}
inline void right(bool holds, const char* what) {
  if (!holds) throw Wrong{what};
}

inline int next() {
  return (rank + 1) % size;
}
inline int previous() {
  return (rank + size - 1) % size;
}

// A handle that is freed at the end of its block, unless the block has freed it or never got it.
template <class Handle, int (*Free)(Handle*)>
class Owned {
 public:
  explicit Owned(Handle null) : handle_(null), null_(null) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != null_) Free(&handle_);
  }
  operator Handle() const { return handle_; }
  Handle* operator&() { return &handle_; }

 private:
  Handle handle_, null_;
};
struct Comm : Owned<MPI_Comm, MPI_Comm_free> {
  Comm() : Owned(MPI_COMM_NULL) {}
};
struct Group : Owned<MPI_Group, MPI_Group_free> {
  Group() : Owned(MPI_GROUP_NULL) {}
};
struct Type : Owned<MPI_Datatype, MPI_Type_free> {
  Type() : Owned(MPI_DATATYPE_NULL) {}
};
struct Op : Owned<MPI_Op, MPI_Op_free> {
  Op() : Owned(MPI_OP_NULL) {}
};
struct Info : Owned<MPI_Info, MPI_Info_free> {
  Info() : Owned(MPI_INFO_NULL) {}
};
struct Win : Owned<MPI_Win, MPI_Win_free> {
  Win() : Owned(MPI_WIN_NULL) {}
};
struct File : Owned<MPI_File, MPI_File_close> {
  File() : Owned(MPI_FILE_NULL) {}
};

// Requests that are complete, or freed, at the end of their block.
template <int Count>
class Requests {
 public:
  Requests() {
    for (MPI_Request& each : all_) each = MPI_REQUEST_NULL;
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() {
    for (MPI_Request& each : all_) {
      if (each == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&each);
      MPI_Request_free(&each);
    }
  }
  MPI_Request* operator[](int i) { return &all_[i]; }
  void wait() { must(MPI_Waitall(Count, all_, MPI_STATUSES_IGNORE)); }

 private:
  MPI_Request all_[Count];
};

struct Chapter {
  std::string_view name;
  void (*run)();
};
extern const Chapter messages, reductions, types, communicators, topologies, attributes, windows, files, sessions;

}  // namespace chapter
