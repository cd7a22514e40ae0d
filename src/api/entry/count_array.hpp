// SPDX-License-Identifier: BSD-3-Clause
// Bowline uses 64-bit counts inside, whatever the caller uses: CountArray reads the caller's arrays, narrow() makes
// results.
#pragma once

#include <mpi.h>

#include <climits>
#include <cstddef>
#include <type_traits>

namespace bowline::api {

// MPI's 64-bit integers are one C type.
static_assert(std::is_same_v<MPI_Aint, MPI_Count>);
static_assert(std::is_same_v<MPI_Offset, MPI_Count>);

/// Which form of a function was called: with counts of type int, or with MPI_Count.
enum class CountWidth : bool { small, large };

/// A view of the caller's array, without a copy. The view does not know the length of the array.
class CountArray {
 public:
  explicit CountArray(const int* counts) noexcept : narrow_(counts) {}
  explicit CountArray(const MPI_Count* counts) noexcept : wide_(counts) {}

  MPI_Count operator[](std::size_t i) const noexcept { return wide_ != nullptr ? wide_[i] : narrow_[i]; }
  bool is_null() const noexcept { return wide_ == nullptr && narrow_ == nullptr; }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
};

/// A count for the small form of a function: MPI_UNDEFINED if it does not fit.
inline int narrow(MPI_Count count) noexcept {
  return count > INT_MAX || count < INT_MIN ? MPI_UNDEFINED : static_cast<int>(count);
}

}  // namespace bowline::api
