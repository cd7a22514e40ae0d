// SPDX-License-Identifier: BSD-3-Clause
// Runtime: MPI in this process between MPI_Init and MPI_Finalize, and while sessions use it. There is one instance.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/error_sentences.hpp"
#include "base/lock.hpp"
#include "comm/communicator.hpp"
#include "comm/communicators.hpp"
#include "comm/process_table.hpp"
#include "comm/survival/failed_processes.hpp"
#include "comm/survival/survival.hpp"
#include "proto/lanes.hpp"
#include "rma/window.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

class Jobs;
class PublishedNames;
class Report;
struct Parts;

class Runtime {
 public:
  constexpr Runtime() = default;

  /// Whether MPI is in use: by the program between MPI_Init and MPI_Finalize, or by a session.
  bool running() const noexcept { return users_.load(std::memory_order_relaxed) > 0; }
  /// As running(), for a thread that may not have called MPI: if it is true, the thread sees everything that the start
  /// of MPI has made.
  bool seen_running() const noexcept { return users_.load(std::memory_order_acquire) > 0; }
  /// Whether MPI is in use, and calls are executed without being looked at (Checks::calls()).
  bool executes_directly() const noexcept { return executes_directly_.load(std::memory_order_relaxed); }
  bool finalized() const noexcept { return state() == State::finalized; }
  /// Whether sessions use MPI, besides the program or alone.
  bool has_sessions() const noexcept {
    return users_.load(std::memory_order_relaxed) > (state() == State::running ? 1 : 0);
  }
  /// Whether MPI_Init has returned. A thread that has seen true sees everything that MPI_Init has made.
  bool initialized() const noexcept { return state() != State::before_init; }

  /// Connects to the launcher and makes MPI_COMM_WORLD and MPI_COMM_SELF. `thread_level` is the level that will be
  /// granted, unless a session has started with a higher one. Throws Error; the process cannot use MPI then.
  void init(int thread_level);
  /// Ends what init() began, after all messages of this process have left. Sessions go on.
  void finalize();
  /// Starts MPI for a session, also after MPI_Finalize; may be called any number of times. Threads may start and end
  /// sessions at the same time. Throws Error.
  void start_session();
  void end_session();

  /// The library's lock. It serializes everything that does not run in a lane, under MPI_THREAD_MULTIPLE; at lower
  /// levels it is disabled.
  OwnerLock& lock() noexcept { return lock_; }
  int thread_level() const noexcept { return thread_level_; }
  int job_size() const noexcept;
  bool on_one_node() const noexcept;
  /// The lowest world rank on this node; it names the node.
  int first_rank_here() const noexcept;
  /// What windows need to know about this process.
  rma::Surroundings window_surroundings() const noexcept;
  wireup::Wireup& wireup() noexcept;
  const comm::ProcessTable& processes() const noexcept;
  bool is_main_thread() const noexcept;
  /// Whether the job goes on when ranks are lost, as far as this process is concerned: its launcher lets it, or needs
  /// not know.
  bool keeps_going() const noexcept { return keeps_going_.load(std::memory_order_relaxed); }
  /// Whether this process is in its last wait, for others that end as well.
  bool awaits_end() const noexcept { return awaits_.load(std::memory_order_relaxed); }
  /// Whether that may be so in some process of this job; the same in all of them.
  bool may_lose_ranks() const noexcept;
  /// The communicator has got an error handler. If that does not end the job, nor is the communicator this process
  /// alone, the process stays apart from a launcher which would end it. Throws Error.
  void handler_chosen(const comm::Communicator& comm);

  /// The communicators behind MPI_COMM_WORLD and MPI_COMM_SELF; nullptr before MPI_Init and after MPI_Finalize, also
  /// while sessions use MPI.
  comm::Communicator* world() noexcept { return world_; }
  comm::Communicator* public_self() noexcept { return public_self_; }
  /// The communicator of this process alone. Exists while MPI runs.
  comm::Communicator& self() noexcept { return *self_; }
  /// The communicator with this context id; MPI_COMM_SELF if that communicator has been freed.
  comm::Communicator& with_context(std::uint32_t context) noexcept;

  /// The connections to other jobs.
  Jobs& jobs() noexcept;
  /// The service names that this process has published.
  PublishedNames& names() noexcept;
  /// All lanes of this process.
  proto::Lanes& lanes() noexcept;
  /// The buffer of MPI_Buffer_attach.
  proto::BsendBuffer& bsend_buffer() noexcept;

  /// The processes that this one has found failed.
  comm::FailedProcesses& failed_processes() noexcept;
  /// What the lane of a communicator needs after failures.
  comm::Survival& survival(const comm::Communicator& comm) noexcept;

  /// The communicators that the program has made.
  comm::Communicators& communicators() noexcept;

  /// Whether something is to be done after each call, besides what BOWLINE_CHECK does.
  bool follows_calls() const noexcept { return follows_calls_.load(std::memory_order_relaxed); }
  void follow_calls(bool follow) noexcept;
  /// Somebody has begun to listen to events, or has ended it. Any thread may say so, with any locks.
  void note_listeners() noexcept;
  /// Has the engines take note of that. Called at the beginning of a call, without a lane's lock.
  void settle_listeners() noexcept;

  /// To be called when a call returns an error to the program.
  void note_error() noexcept { errors_returned_.store(true, std::memory_order_relaxed); }

  /// Ends the whole job with exit status `status`. Reports `text` with the rank and the host of this process.
  [[noreturn]] void abort_job(int status, const std::string& text);
  /// Ends these processes, which include this one. A launcher that cannot end some processes only ends the whole job.
  [[noreturn]] void abort_processes(const std::vector<int>& processes, int status, const std::string& text);

 private:
  enum class State : std::uint8_t { before_init, running, finalized };

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Adds to the number of users; returns the number before.
  int count_users(int change) noexcept;
  void choose_execution() noexcept;
  void start_using(int thread_level);
  void end_program(bool goes_on);
  void end_with_process() noexcept;
  bool job_ends_together() const;
  bool await_others(const char* call, proto::Farewell farewell, bool for_job);
  void lost(const char* why) noexcept;
  void tell_calls();
  [[noreturn]] void end_with_other_calls(int rank);
  void end_with_leftovers();
  void tell_of_unreceived();

  Atomic<State> state_{State::before_init};  ///< any thread may read the state at any time
  Atomic<bool> executes_directly_{false};    ///< running(), and there is nothing else to do in a call
  Atomic<bool> follows_calls_{false};
  Atomic<bool> listeners_changed_{false};  ///< since settle_listeners()
  Atomic<int> users_{0};                   ///< sessions not finalized, plus 1 from MPI_Init to MPI_Finalize
  int thread_level_ = 0;
  comm::Communicator* world_ = nullptr;
  comm::Communicator* public_self_ = nullptr;
  comm::Communicator* self_ = nullptr;
  const void* main_thread_ = nullptr;    ///< the thread that called MPI_Init
  int process_ = 0;                      ///< id of the process that started MPI; a forked process does not end it
  Atomic<bool> errors_returned_{false};  ///< whether a call has returned an error to the program
  Atomic<bool> awaits_{false};           ///< whether await_others() runs
  bool connected_ = false;               ///< to the launcher
  Atomic<bool> keeps_going_{false};      ///< the job goes on when ranks are lost
  Report* report_ = nullptr;             ///< nullptr: the user wants none
  Parts* parts_ = nullptr;  ///< never destroyed: sessions may follow MPI_Finalize, messages of peers come before
                            ///< them, and a program may end without MPI_Finalize, from any thread
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
