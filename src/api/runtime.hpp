// SPDX-License-Identifier: BSD-3-Clause
// Runtime: the one instance of everything between MPI_Init and MPI_Finalize.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/lock.hpp"
#include "comm/communicator.hpp"

namespace bowline::api {

class Runtime {
 public:
  constexpr Runtime() = default;

  bool running() const noexcept { return state_ == State::running; }
  bool finalized() const noexcept { return state_ == State::finalized; }
  bool initialized() const noexcept { return state_ != State::before_init; }

  /// Connects to the launcher and makes MPI_COMM_WORLD and MPI_COMM_SELF. `thread_level` is the level that will be
  /// granted. Throws Error; the process cannot use MPI then.
  void init(int thread_level);
  /// Ends what init() began, once nothing this process has sent depends on it.
  void finalize();

  /// Serializes the library under MPI_THREAD_MULTIPLE; disabled below it.
  OwnerLock& lock() noexcept { return lock_; }
  int thread_level() const noexcept { return thread_level_; }
  bool is_main_thread() const noexcept;

  comm::Communicator& world() noexcept { return *world_; }
  comm::Communicator& self() noexcept { return *self_; }
  /// The communicator whose point-to-point context this is; nullptr if none has it.
  comm::Communicator* with_context(std::uint32_t context) noexcept;

  /// Ends the whole job with this exit status. `text` is told to the user, who is also told which rank on which host.
  [[noreturn]] void abort_job(int status, const std::string& text);

 private:
  enum class State : std::uint8_t { before_init, running, finalized };
  struct Parts;

  State state_ = State::before_init;
  int thread_level_ = 0;
  comm::Communicator* world_ = nullptr;
  comm::Communicator* self_ = nullptr;
  const void* main_thread_ = nullptr;  ///< the thread that called MPI_Init
  Parts* parts_ = nullptr;  // not destroyed by exit(): a program may end without MPI_Finalize, from any thread
  OwnerLock lock_;
};

extern constinit Runtime the_runtime;
inline Runtime& runtime() noexcept {
  return the_runtime;
}

/// An error that belongs to a communicator which the call does not name: that of a request.
class CommError final : public Error {
 public:
  CommError(comm::Communicator& comm_, ErrorClass error_class, std::string text)
      : Error(error_class, std::move(text)), comm(comm_) {}
  comm::Communicator& comm;
};

/// Hands an error to the communicator's error handler; returns the error class, if the handler returns.
int raise_error(comm::Communicator& comm, ErrorClass error_class, const std::string& text);

}  // namespace bowline::api
