// SPDX-License-Identifier: BSD-3-Clause
// Conversion of arguments. A class named Result... takes the place of a C variable during the call of the C function
// and stores the Fortran value at its end.
#pragma once

#include <cstddef>
#include <utility>

#include "fortran_abi.hpp"
#include "procedures/procedure.hpp"

namespace bowline::fortran {

// ---- handles

template <class Handle>
Handle handle(const MPI_Fint* number) {
  return handle_of<Handle>(*number);
}

/// A handle that the C function sets. If it does not, Fortran's variable keeps its value.
template <class Handle>
class ResultHandle {
 public:
  explicit ResultHandle(MPI_Fint* number) noexcept : number_(number) {}
  ResultHandle(const ResultHandle&) = delete;
  ResultHandle& operator=(const ResultHandle&) = delete;
  ~ResultHandle() {
    if (handle_ != Handle{}) *number_ = number_of(handle_);
  }
  operator Handle*() noexcept { return &handle_; }

 private:
  MPI_Fint* number_;
  Handle handle_{};  // no handle is zero
};

/// A handle that the C function may change.
template <class Handle>
class UpdatedHandle {
 public:
  explicit UpdatedHandle(MPI_Fint* number) : number_(number), before_(handle<Handle>(number)), now_(before_) {}
  UpdatedHandle(const UpdatedHandle&) = delete;
  UpdatedHandle& operator=(const UpdatedHandle&) = delete;
  ~UpdatedHandle() {
    if (now_ != before_) *number_ = number_of(now_);
  }
  operator Handle*() noexcept { return &now_; }

 private:
  MPI_Fint* number_;
  Handle before_;
  Handle now_;
};

/// A handle whose address the C function wants but that it does not change.
template <class Handle>
class HandleCopy {
 public:
  explicit HandleCopy(const MPI_Fint* number) : handle_(handle<Handle>(number)) {}
  operator Handle*() noexcept { return &handle_; }

 private:
  Handle handle_;
};

// ---- choice buffers

inline void* as_buffer(const void* buffer) noexcept {
  return const_cast<void*>(buffer);
}

inline void* choice_buffer(const void* given) noexcept {
  return sentinel::is_bottom(given) ? MPI_BOTTOM : as_buffer(given);
}
/// A buffer of a collective operation.
inline void* collective_buffer(const void* given) noexcept {
  return sentinel::is_in_place(given) ? MPI_IN_PLACE : choice_buffer(given);
}
/// A buffer for buffered sends.
inline void* attached_buffer(const void* given) noexcept {
  return sentinel::is_buffer_automatic(given) ? MPI_BUFFER_AUTOMATIC : choice_buffer(given);
}

/// The address of a buffer that is detached, in a TYPE(C_PTR).
class ResultBuffer {
 public:
  explicit ResultBuffer(void* address) noexcept : address_(static_cast<void**>(address)) {}
  ResultBuffer(const ResultBuffer&) = delete;
  ResultBuffer& operator=(const ResultBuffer&) = delete;
  ~ResultBuffer() {
    if (now_ != this) *address_ = now_ == MPI_BUFFER_AUTOMATIC ? const_cast<void*>(sentinel::buffer_automatic()) : now_;
  }
  operator void*() noexcept { return static_cast<void*>(&now_); }

 private:
  void** address_;
  void* now_ = this;  // the C function does not return this address
};

/// A variable for an address that Fortran does not get.
class Unused {
 public:
  explicit Unused(const void*) noexcept {}
  void* place() noexcept { return static_cast<void*>(&variable_); }

 private:
  void* variable_ = nullptr;
};

// ---- statuses: the layouts of C and Fortran are the same

inline MPI_Status* given_status(MPI_Fint* status) noexcept {
  return reinterpret_cast<MPI_Status*>(status);
}
inline MPI_Status* status_or_ignore(MPI_Fint* status) noexcept {
  return sentinel::is_status_ignore(status) ? MPI_STATUS_IGNORE : given_status(status);
}
inline MPI_Status* statuses_or_ignore(MPI_Fint* statuses) noexcept {
  return sentinel::is_statuses_ignore(statuses) ? MPI_STATUSES_IGNORE : given_status(statuses);
}

// ---- numbers

/// The length of an array: a negative one is the C function's to refuse.
template <class Count>
std::size_t length_of(const Count* count) noexcept {
  return *count < 0 ? 0 : static_cast<std::size_t>(*count);
}

/// The ranges of MPI_Group_range_incl, which are an array of three rows in Fortran.
using Triple = int[3];
inline Triple* triples(const int* numbers) noexcept {
  return reinterpret_cast<Triple*>(const_cast<int*>(numbers));
}

template <class Weights>
Weights* weights_or_sentinel(Weights* given) noexcept {
  const void* const address = given;
  if (sentinel::is_unweighted(address)) return MPI_UNWEIGHTED;
  if (sentinel::is_weights_empty(address)) return MPI_WEIGHTS_EMPTY;
  return given;
}

/// The index of an element of an array, which Fortran counts from one.
class ResultIndex {
 public:
  explicit ResultIndex(int* index) noexcept : index_(index) {}
  ResultIndex(const ResultIndex&) = delete;
  ResultIndex& operator=(const ResultIndex&) = delete;
  ~ResultIndex() {
    if (now_ != unset) *index_ = now_ == MPI_UNDEFINED ? now_ : now_ + 1;
  }
  operator int*() noexcept { return &now_; }

 private:
  static constexpr int unset = -1;
  int* index_;
  int now_ = unset;
};

/// The first `*used` elements of an array of indices.
class ResultIndices {
 public:
  ResultIndices(int* indices, int* used) noexcept : indices_(indices), used_(used) { *used = 0; }
  ResultIndices(const ResultIndices&) = delete;
  ResultIndices& operator=(const ResultIndices&) = delete;
  ~ResultIndices() {
    if (*used_ == MPI_UNDEFINED) return;
    for (int i = 0; i < *used_; ++i) ++indices_[i];
  }
  operator int*() noexcept { return indices_; }

 private:
  int* indices_;
  int* used_;
};

/// The length of a string. C counts the null character, and Fortran does not. Zero asks for the length alone.
class LengthWithEnd {
 public:
  explicit LengthWithEnd(int* length) noexcept : length_(length), now_(*length > 0 ? *length + 1 : *length) {}
  LengthWithEnd(const LengthWithEnd&) = delete;
  LengthWithEnd& operator=(const LengthWithEnd&) = delete;
  ~LengthWithEnd() { *length_ = now_ > 0 ? now_ - 1 : now_; }
  operator int*() noexcept { return &now_; }

 private:
  int* length_;
  int now_;
};

// ---- logicals

inline int logical(const MPI_Fint* value) noexcept {
  return *value != 0 ? 1 : 0;
}

class ResultLogical {
 public:
  explicit ResultLogical(MPI_Fint* value) noexcept : value_(value) {}
  ResultLogical(const ResultLogical&) = delete;
  ResultLogical& operator=(const ResultLogical&) = delete;
  ~ResultLogical() {
    if (now_ != unset) *value_ = logical_value(now_ != 0);
  }
  operator int*() noexcept { return &now_; }

 private:
  static constexpr int unset = -1;
  MPI_Fint* value_;
  int now_ = unset;
};

}  // namespace bowline::fortran
