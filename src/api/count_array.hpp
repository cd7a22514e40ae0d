// SPDX-License-Identifier: BSD-3-Clause
// CountArray: an array of counts or displacements that hides whether the caller's has 32 or 64 bits.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <type_traits>

namespace bowline::api {

static_assert(std::is_same_v<MPI_Aint, MPI_Count> && std::is_same_v<MPI_Offset, MPI_Count>,
              "the 64-bit forms of MPI's arrays are one C type");

/// Views the caller's array without copying it; as long as the caller's array, which the view does not know.
class CountArray {
 public:
  explicit CountArray(const int* narrow) noexcept : narrow_(narrow) {}
  explicit CountArray(const MPI_Count* wide) noexcept : wide_(wide) {}

  MPI_Count operator[](std::size_t i) const noexcept { return wide_ != nullptr ? wide_[i] : narrow_[i]; }
  bool is_null() const noexcept { return wide_ == nullptr && narrow_ == nullptr; }

 private:
  const int* narrow_ = nullptr;
  const MPI_Count* wide_ = nullptr;
};

}  // namespace bowline::api
