// SPDX-License-Identifier: BSD-3-Clause
// ProcessDirectory: what the engine queries when it looks for processes that have ended. The engine itself knows
// senders by their ranks in communicators, and other processes only once they are connected.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/failure.hpp"

namespace bowline::proto {

/// All functions are called under the lock of the engine's lane.
class ProcessDirectory {
 public:
  /// The index of the process whose messages have this source in this context; negative if that is not known.
  virtual int process(std::uint32_t context, int source) = 0;
  /// The communicator that has this context, by its name.
  virtual std::string communicator(std::uint32_t context) = 0;
  /// The inverse of process(): the source of messages from this process; negative if it sends none.
  virtual int source(std::uint32_t context, int process) = 0;
  /// Whether this process is among the senders. On an intercommunicator it sends in the other direction only.
  virtual bool sends_here(std::uint32_t) { return true; }
  /// Number of processes that send in this context; their sources count from 0 on. 0 if that is not known.
  virtual int senders(std::uint32_t context) = 0;
  /// Tries to learn the address of a rank, if it is worthwhile to connect to that rank in order to notice its end.
  /// Throws Error.
  virtual void seek(int process) = 0;
  /// Whether the rank's address is known, so that connection establishment would not wait for the launcher.
  virtual bool approachable(int process) = 0;
  /// Whether a rank without a connection is seen to have ended its communication, properly or not, as far as that is
  /// visible without a connection. Throws Error.
  virtual bool has_left(int process) = 0;
  /// Whether a rank, with or without a connection, is known to have ended without MPI_Finalize. Asked often. Throws
  /// Error.
  virtual bool is_lost(int) { return false; }
  /// Whether the nodes of any processes do not answer any more. Asked at each check.
  virtual bool any_cut_off() { return false; }
  /// Why a process is lost whose node does not answer any more, in words; empty for others.
  virtual std::string why_cut_off(int) { return {}; }
  /// Whether the job goes on without lost ranks.
  virtual bool keeps_going() const { return false; }
  /// How a lost rank has ended, as in "was killed by signal 9 (Killed)"; empty if that is not known.
  virtual std::string loss(int) { return {}; }
  /// Whether this process uses sessions, and peers may communicate with them after MPI_Finalize.
  virtual bool has_sessions() const noexcept { return false; }
  /// Whether operations in this context are those of a session, which MPI_Finalize does not end.
  virtual bool outlives_finalize(std::uint32_t) { return false; }
  /// A process that sends in this context and has failed without the program having acknowledged it; negative if there
  /// is none.
  virtual int unacknowledged(std::uint32_t) { return -1; }
  /// How long a call may wait for operations in this context; nothing if there is no limit.
  virtual std::optional<std::chrono::duration<double>> time_limit(std::uint32_t) { return {}; }
  /// The engine has interrupted the communicator that has this context: later calls on it fail with this error.
  virtual void interrupted(std::uint32_t, const Failure&) noexcept {}
  /// Reports that a rank has ended or cannot be reached any more. Each lane that finds this out calls lost() once per
  /// rank.
  virtual void lost(int process, const Error& why) noexcept = 0;

 protected:
  ~ProcessDirectory() = default;
};

}  // namespace bowline::proto
