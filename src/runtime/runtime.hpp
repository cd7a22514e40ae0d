// SPDX-License-Identifier: BSD-3-Clause
// Runtime: the one instance of everything between MPI_Init and MPI_Finalize.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/error_sentences.hpp"
#include "base/lock.hpp"
#include "comm/communicator.hpp"
#include "comm/communicators.hpp"
#include "proto/lanes.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

struct Parts;

class Runtime {
 public:
  constexpr Runtime() = default;

  /// Whether someone uses MPI: the program between MPI_Init and MPI_Finalize, or a session.
  bool running() const noexcept { return users_.load(std::memory_order_relaxed) > 0; }
  bool finalized() const noexcept { return state() == State::finalized; }
  /// A thread that has seen true sees everything that MPI_Init has made.
  bool initialized() const noexcept { return state() != State::before_init; }

  /// Makes MPI_COMM_WORLD and MPI_COMM_SELF, once it has connected to the launcher. `thread_level` is the level that
  /// will be granted, unless a session has started with a higher one. Throws Error; the process cannot use MPI then.
  void init(int thread_level);
  /// Ends what init() began, once nothing this process has sent depends on it.
  void finalize();
  /// The same for a session, any number of times. A session that starts after all has ended has nothing that runs.
  /// Threads may start and end sessions at the same time.
  void start_session();
  void end_session();

  /// Serializes everything that no lane serves, under MPI_THREAD_MULTIPLE; disabled below it.
  OwnerLock& lock() noexcept { return lock_; }
  int thread_level() const noexcept { return thread_level_; }
  int job_size() const noexcept;
  bool on_one_node() const noexcept;
  /// The lowest world rank on this node; it names the node.
  int first_rank_here() const noexcept;
  wireup::Wireup& wireup() noexcept;
  bool is_main_thread() const noexcept;

  /// What MPI_COMM_WORLD and MPI_COMM_SELF stand for: nothing before MPI_Init and after MPI_Finalize, if only sessions
  /// use MPI.
  comm::Communicator* world() noexcept { return world_; }
  comm::Communicator* public_self() noexcept { return public_self_; }
  /// The process alone, as long as MPI runs.
  comm::Communicator& self() noexcept { return *self_; }
  /// The communicator to which this context belongs; MPI_COMM_SELF if it has been freed.
  comm::Communicator& with_context(std::uint32_t context) noexcept;

  /// All lanes of this process.
  proto::Lanes& lanes() noexcept;
  /// The buffer of MPI_Buffer_attach.
  proto::BsendBuffer& bsend_buffer() noexcept;

  /// Those that the program has made.
  comm::Communicators& communicators() noexcept;

  /// Ends the whole job with this exit status. `text` is told to the user, who is also told which rank on which host.
  [[noreturn]] void abort_job(int status, const std::string& text);
  /// The same for the processes with these world ranks, this one among them, as far as the launcher can.
  [[noreturn]] void abort_processes(std::vector<int> ranks, int status, const std::string& text);

 private:
  enum class State : std::uint8_t { before_init, running, finalized };

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  void start_using(int thread_level);
  void stop_using();
  void end_with_process() noexcept;
  void await_others();
  void lost(const char* why) noexcept;
  void drain(const char* call);
  void end_with_leftovers();

  std::atomic<State> state_{State::before_init};  ///< any thread may ask at any time
  std::atomic<int> users_{0};  ///< sessions that have not been finalized, and the world between its begin and its end
  int thread_level_ = 0;
  comm::Communicator* world_ = nullptr;
  comm::Communicator* public_self_ = nullptr;
  comm::Communicator* self_ = nullptr;
  const void* main_thread_ = nullptr;  ///< the thread that called MPI_Init
  int process_ = 0;                    ///< the one that started MPI: one that it forks has no part in it
  Parts* parts_ = nullptr;  // not destroyed by exit(): a program may end without MPI_Finalize, from any thread
  OwnerLock lock_;
};

extern constinit Runtime the_runtime;
/// MPI in this process.
inline Runtime& this_process() noexcept {
  return the_runtime;
}

/// The error handler chosen at launch (MPI-5.0, section 9.3).
comm::ErrorHandler& initial_error_handler();

}  // namespace bowline::runtime
