// SPDX-License-Identifier: BSD-3-Clause
// The exit status of a job that goes on when ranks are lost.
#pragma once
#include <optional>

namespace bowline::launcher {

/// The status is the highest one with which a rank has exited. A rank that was ended by a signal, or has left with
/// status 0 and without MPI_Finalize, counts as 0: the program has gone on without it. Only if every rank is lost, the
/// status is not 0 in any case: then it is that of the first lost rank.
class SurvivorStatus {
 public:
  /// A rank has ended. `status`: from waitpid(). `initialized`: it had called MPI_Init and not MPI_Finalize.
  void add(int status, bool initialized);
  int status() const;
  /// Whether a rank was lost.
  bool has_lost() const { return first_lost_.has_value(); }

 private:
  int highest_ = 0;
  bool survived_ = false;          ///< a rank has ended well
  std::optional<int> first_lost_;  ///< the status that the first lost rank stands for
};

}  // namespace bowline::launcher
