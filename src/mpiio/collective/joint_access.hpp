// SPDX-License-Identifier: BSD-3-Clause
// Collective accesses to a file, from the call to the result in all processes.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "coll/calls/team_channel.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/file/file_transfer.hpp"

namespace bowline::mpiio {

/// One process's part in a collective access. All processes make their objects in the same order.
struct JointAccess {
  /// `waits`: the caller's thread waits for the access. The caller holds the lock of the lane.
  JointAccess(File& file_, bool writes_, bool waits_) noexcept
      : file(file_), writes(writes_), waits(waits_), turn(file_.turns().take()) {}

  File& file;
  bool writes;
  bool waits;
  std::uint64_t turn;
  bool ordered = false;              ///< the data begin where the shared pointer is, in the order of ranks
  FileTransfer* transfer = nullptr;  ///< nullptr if this process's arguments are wrong; then `failure` says why
  std::optional<Error> failure;  ///< at the end: the error of the lowest process that has an error, in all processes
};

/// Executes the access. Does not throw: what fails is in `failure`, in all processes.
Task access_jointly(coll::TeamChannel& channel, JointAccess& access);

}  // namespace bowline::mpiio
