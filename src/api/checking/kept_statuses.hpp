// SPDX-License-Identifier: BSD-3-Clause
// KeptStatuses: the statuses of a call, which BOWLINE_CHECK=rivals reads even where the program ignores them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace bowline::api::checking {

class KeptStatuses {
 public:
  /// `given`: by the program; may be MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. `count`: how many it has room for.
  explicit KeptStatuses(MPI_Status* given, MPI_Count count = 1);

  /// For the function.
  MPI_Status* get() noexcept { return own_.empty() ? given_ : own_.data(); }
  /// Whether the program gets them.
  bool given() const noexcept { return own_.empty(); }
  const MPI_Status& operator[](std::size_t index) const noexcept { return own_.empty() ? given_[index] : own_[index]; }

 private:
  MPI_Status* given_;
  std::vector<MPI_Status> own_;  ///< empty if the program's are used
};

}  // namespace bowline::api::checking
