// SPDX-License-Identifier: BSD-3-Clause
// One job: a namespace of the PMIx server, from the start of its ranks to the last byte of their output.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/binding.hpp"
#include "launcher/chaos/chaos.hpp"
#include "launcher/core_claims.hpp"
#include "launcher/hang/hang_settings.hpp"
#include "launcher/hang/hang_watch.hpp"
#include "launcher/hang/rank_waits.hpp"
#include "launcher/hang/straggler_watch.hpp"
#include "launcher/hang/wait_report.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/launch_context.hpp"
#include "launcher/job/rank_failure.hpp"
#include "launcher/job/rank_output.hpp"
#include "launcher/job/survivor_status.hpp"

namespace bowline::launcher {

/// The ranks of a job, and the decisions about them: what a rank's end means for the others, and the job's exit status.
/// Events in one namespace leave the ranks of other namespaces running. The event loop reports events to the namespace.
/// Destroy a namespace only when it is closed, or just before the process ends all its descendants.
class Namespace {
 public:
  using Clock = std::chrono::steady_clock;

  /// Registers the job with the PMIx server and plans where its ranks run; starts no rank. `name`: the namespace's
  /// name; `number`: the job's number, from 0, for messages; `origin`: if a rank has spawned the job. Throws
  /// LaunchError.
  Namespace(LaunchContext& context, Job job, std::string name, int number, const JobInput& input,
            std::optional<Origin> origin);
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;

  const std::string& name() const { return name_; }
  int number() const { return number_; }
  const Job& job() const { return job_; }
  /// Number of processes that the job has been told to expect.
  int universe() const { return universe_; }
  /// Whether lost ranks have left cores to further jobs.
  bool has_freed_cores() const { return has_freed_cores_; }
  /// Empty: no rank has spawned the job.
  const std::optional<Origin>& origin() const { return origin_; }
  /// For when the job of the origin has ended.
  void set_origin(Origin origin) { origin_ = std::move(origin); }

  // ---- the start

  /// Whether ranks are left to be started.
  bool starting() const { return start_.has_value(); }
  /// Starts ranks for a short time, so that the event loop soon sees signals and output again. Throws LaunchError.
  void start_some();
  /// Takes the job back, silently and whatever is left of it, because a rank cannot be started: then this job has never
  /// been. For spawned jobs.
  void take_back(const std::string& sentence);
  bool is_taken_back() const { return taken_back_; }

  // ---- what has happened

  /// The living rank that runs in the process `pid`.
  std::optional<int> rank_of(pid_t pid) const;
  bool is_alive(int rank) const;
  /// The rank's process is gone. The caller must call on_exit() later, after the PMIx events that preceded its end.
  void mark_ended(int rank);
  /// `status`: from waitpid().
  void on_exit(int rank, int status);
  /// Handles an event of a rank of this namespace.
  void on_pmix(const PmixEvent& event);
  /// A rank of another namespace has aborted, and names ranks of this namespace.
  void on_foreign_abort(const PmixEvent& event);
  /// The user has sent mpiexec a signal that does not ask for the end.
  void signal_ranks(int signal) const;
  /// As signal_ranks(), but ranks that the signal would end do not get it.
  void signal_handlers(int signal) const;
  /// The user asks what the ranks wait for.
  void tell_waits();
  /// The user has sent mpiexec a signal that asks for the end. Returns false if the end was requested before, or the
  /// job was ending for another reason: then the job's ranks are killed at once.
  bool request_end(int signal);
  /// mpiexec is gone.
  void abandon();
  void time_out(const TimeLimit& limit);
  /// `sink`, one of mpiexec's own outputs, has failed.
  void stop_writing_to(const Sink& sink);
  /// Begins to end every rank, for the reason in `sentence`, unless the job is ending already.
  void end(int status, const std::string& sentence);

  /// When on_timers() is to be called; none: never.
  std::optional<Clock::time_point> deadline() const;
  void on_timers(Clock::time_point now);

  RankOutput& output() { return output_; }

  // ---- the end

  /// Closes the namespace once no process of it is left. Processes that a rank has started and left behind are ended.
  /// Returns whether it is closed.
  bool try_to_close();
  bool is_closed() const { return closed_; }
  /// 0, or that of the first failure. If the job keeps going: see SurvivorStatus.
  int status() const;
  /// The sentence about the first failure; empty if there is none.
  const std::string& reason() const { return reason_.empty() && status() != 0 ? first_loss_ : reason_; }
  /// Whether a failure ends the job, or has ended it.
  bool has_failed() const { return status_.has_value(); }
  /// Whether the job has failed, or something is about to end it.
  bool is_about_to_end() const { return status_ || abort_ || requested_ != 0; }

 private:
  /// Time between SIGTERM and SIGKILL: short, so that a failed job is gone within a second.
  static constexpr std::chrono::milliseconds term_to_kill{400};

  struct Rank {
    pid_t pid = -1;
    bool alive = false;
    bool initialized = false;  ///< between PMIx_Init and PMIx_Finalize
    bool finalized = false;    ///< after PMIx_Finalize
    bool aborted = false;      ///< an abort has already explained its end
    bool lost = false;         ///< the job goes on without it
    Binding binding{};

    RankStage stage() const {
      if (pid < 0) return RankStage::unstarted;
      if (!alive) return RankStage::ended;
      return finalized ? RankStage::finalized : initialized ? RankStage::initialized : RankStage::started;
    }
  };
  /// What remains to be started.
  struct Start {
    JobLayout layout;
    BindingPlan plan;
    std::size_t next = 0;  ///< the ranks below this rank have been started
  };

  BindingPlan plan();
  void announce(const JobLayout& layout, const BindingPlan& plan);
  void show_map(const JobLayout& layout, const BindingPlan& plan);
  void report(const Binding& binding, int rank);
  void start_rank(int rank, int app, const Binding& binding);
  int input_of(int rank) const;
  std::vector<std::string> wireup_of(int rank) const;
  std::vector<int> inherited() const;
  DebuggerAccess debuggers() const;
  bool holds(int rank) const;

  void note_result(const Failure& failure);
  void note_loss(int rank, const Failure& failure);
  void lose(int rank, int status, const Failure& failure);
  void free_cores_of(int rank);
  bool has_started(int rank) const;
  void end_without_start();
  void end_if_awaited(const std::optional<Failure>& absent, bool (Namespace::*waits)(int) const);
  bool is_connected(int rank) const;
  bool is_starting(int rank) const;
  bool spares_one(const std::vector<int>& ranks) const;
  void try_chaos(Clock::time_point now);
  bool are_ready() const;
  void carry_out(const ChaosStep& step);
  void on_abort(const PmixEvent& event);
  void judge_abort();
  std::vector<int> named(const PmixEvent& event) const;
  int foreigners(const PmixEvent& event) const;
  void end_some(const std::vector<int>& ranks, int status);

  bool use_mpi() const;
  bool is_one_waiting() const;
  std::vector<RankView> views() const;
  std::vector<std::string> waits() const;
  void judge_hang(Clock::time_point now);
  void judge_stragglers(std::span<const RankView> all, Clock::time_point now);
  void judge_calls();
  bool is_alone() const { return context_.open_jobs == 1; }
  bool has_processes();
  void signal_processes(int signal) const;
  void kill_at(Clock::duration from_now) { kill_at_ = Clock::now() + from_now; }
  int alive() const;
  void say(const std::string& sentence);
  void tell_of_other_libraries();

  LaunchContext& context_;
  const Job job_;
  const std::string name_;
  const int number_;
  const JobInput input_;
  std::optional<Origin> origin_;
  const int universe_;
  CoreClaims claims_;
  RankOutput output_;
  const HangSettings hang_settings_;
  std::optional<HangWatch> hang_watch_;  ///< until a verdict; empty if the user wants none
  StragglerWatch straggler_watch_;
  std::optional<RankWaits> board_;  ///< where ranks say what they wait for; made with the job's layout
  std::optional<Start> start_;      ///< until every rank is started, or the job is to end earlier
  std::vector<Rank> ranks_;
  std::optional<Chaos> chaos_;
  SurvivorStatus survivors_;  ///< if the job keeps going
  /// Of the first rank that was lost before MPI had started in it. MPI_Init of others may wait for it for ever.
  std::optional<Failure> lost_before_start_;
  /// Of the first rank that has ended with status 0 and had not called MPI_Init.
  std::optional<Failure> left_before_start_;
  bool has_freed_cores_ = false;
  const Clock::time_point since_ = Clock::now();

  std::optional<int> status_;  ///< set by the first failure
  std::optional<int> result_;  ///< status of the first failed rank that leaves the others running
  std::string reason_;         ///< the sentence about that failure
  std::string first_loss_;     ///< the sentence about the first rank without which the job goes on
  bool taken_back_ = false;
  std::optional<PmixEvent> abort_;  ///< the first abort; it sets the status unless another rank's death is its cause
  int requested_ = 0;               ///< the signal that asked the ranks to end
  int kills_ = 0;                   ///< how often all processes were killed
  bool ending_leftovers_ = false;
  bool closed_ = false;
  std::optional<Clock::time_point> kill_at_, kill_some_at_, judge_at_, judge_until_, look_at_, judge_hang_at_,
      chaos_at_;
};

}  // namespace bowline::launcher
