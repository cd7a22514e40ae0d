// SPDX-License-Identifier: BSD-3-Clause
// Conversion of arrays of handles and of logicals. Short ones need no memory from the heap.
#pragma once

#include <cstddef>

#include "base/short_array.hpp"
#include "procedures/arguments.hpp"

namespace bowline::fortran {

template <class Element>
using LocalArray = ShortArray<Element, sizeof(Element) == 1 ? 256 : 32>;

template <class Handle>
class Handles {
 public:
  Handles(const MPI_Fint* numbers, std::size_t size) : handles_(size) {
    for (std::size_t i = 0; i < size; ++i) handles_[i] = handle_of<Handle>(numbers[i]);
  }
  operator Handle*() noexcept { return handles_.data(); }

 private:
  LocalArray<Handle> handles_;
};

/// Handles that the C function may change.
template <class Handle>
class UpdatedHandles {
 public:
  UpdatedHandles(MPI_Fint* numbers, std::size_t size) : numbers_(numbers), before_(size), now_(size) {
    for (std::size_t i = 0; i < size; ++i) now_[i] = before_[i] = handle_of<Handle>(numbers[i]);
  }
  UpdatedHandles(const UpdatedHandles&) = delete;
  UpdatedHandles& operator=(const UpdatedHandles&) = delete;
  ~UpdatedHandles() {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (now_[i] != before_[i]) numbers_[i] = number_of(now_[i]);
    }
  }
  operator Handle*() noexcept { return now_.data(); }

 private:
  MPI_Fint* numbers_;
  LocalArray<Handle> before_;
  LocalArray<Handle> now_;
};

/// Handles that the C function sets; those that it does not keep their values.
template <class Handle>
class ResultHandles {
 public:
  ResultHandles(MPI_Fint* numbers, std::size_t size) : numbers_(numbers), handles_(size) {
    for (std::size_t i = 0; i < size; ++i) handles_[i] = Handle{};
  }
  ResultHandles(const ResultHandles&) = delete;
  ResultHandles& operator=(const ResultHandles&) = delete;
  ~ResultHandles() {
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (handles_[i] != Handle{}) numbers_[i] = number_of(handles_[i]);
    }
  }
  operator Handle*() noexcept { return handles_.data(); }

 private:
  MPI_Fint* numbers_;
  LocalArray<Handle> handles_;
};

class Logicals {
 public:
  Logicals(const MPI_Fint* values, std::size_t size) : values_(size) {
    for (std::size_t i = 0; i < size; ++i) values_[i] = logical(values + i);
  }
  operator int*() noexcept { return values_.data(); }

 private:
  LocalArray<int> values_;
};

class ResultLogicals {
 public:
  ResultLogicals(MPI_Fint* values, std::size_t size) : values_(values), now_(size) {
    for (std::size_t i = 0; i < size; ++i) now_[i] = unset;
  }
  ResultLogicals(const ResultLogicals&) = delete;
  ResultLogicals& operator=(const ResultLogicals&) = delete;
  ~ResultLogicals() {
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if (now_[i] != unset) values_[i] = logical_value(now_[i] != 0);
    }
  }
  operator int*() noexcept { return now_.data(); }

 private:
  static constexpr int unset = -1;
  MPI_Fint* values_;
  LocalArray<int> now_;
};

// ---- lengths that the communicator determines; 0 if it is invalid, which the C function finds then

inline std::size_t members_of(const MPI_Fint* comm, PrivateInterface::Members which) {
  const int count = interface().members(handle<MPI_Comm>(comm), which);
  return count < 0 ? 0 : static_cast<std::size_t>(count);
}

/// The number of processes with which a collective operation exchanges data. `buffer`: the one for which the array has
/// an element per process; MPI_IN_PLACE makes the array meaningless.
inline std::size_t members(const MPI_Fint* comm, const void* buffer) {
  return sentinel::is_in_place(buffer) ? 0 : members_of(comm, PrivateInterface::Members::peers);
}
inline std::size_t sources(const MPI_Fint* comm) {
  return members_of(comm, PrivateInterface::Members::sources);
}
inline std::size_t destinations(const MPI_Fint* comm) {
  return members_of(comm, PrivateInterface::Members::destinations);
}
inline std::size_t dimensions(const MPI_Fint* comm) {
  return members_of(comm, PrivateInterface::Members::dimensions);
}

}  // namespace bowline::fortran
