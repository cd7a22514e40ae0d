// SPDX-License-Identifier: BSD-3-Clause
// Runs the jobs of one mpiexec: waits for signals, PMIx events and output, and passes them to the jobs.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/job/job.hpp"
#include "launcher/job/launch_context.hpp"
#include "launcher/job/namespace.hpp"
#include "launcher/spawn/name_service.hpp"

namespace bowline::launcher {

/// One event loop over the ranks of all jobs. The calling thread must have the signals of signals.hpp blocked and be a
/// subreaper; all ranks and their descendants are gone when finished() is true. Not thread-safe.
class EventLoop {
 public:
  /// Prepares what the jobs share: may take long. `owner_fd`: at end of file when mpiexec is gone; -1: never. Throws
  /// LaunchError.
  explicit EventLoop(LaunchSettings settings, int owner_fd);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Adds a job, whose ranks the next steps start; other jobs may be running. Jobs are numbered in the order of these
  /// calls. If the user has asked for the end, or the time is over, the job ends before it has started. `name`: the
  /// name of the job's namespace; `origin`: if a rank has spawned the job. The result stays at its address until the
  /// job has ended. Throws LaunchError.
  Namespace& add(Job job, const JobInput& input, std::string name = new_namespace_name(),
                 std::optional<Origin> origin = {});

  /// The job whose namespace has this name; nullptr if there is none, or if it has ended while another job runs.
  Namespace* find(const std::string& name) const;

  /// Runs until all jobs have ended. Returns status(). Throws LaunchError; ranks may then still run.
  int run();
  /// Waits for an event, at most `longest` (none: without a limit), handles the events that have happened, and starts
  /// ranks for a short time. The time limit of the jobs begins with the first step. Throws as run() does.
  void step(std::optional<std::chrono::milliseconds> longest = {});
  /// Whether all jobs have ended and their output is written. To be called between steps, because finished() ends jobs.
  bool finished();
  /// The exit status for mpiexec: the status of the job with the lowest number whose status is not 0; 0 if there is
  /// none.
  int status() const;
  /// The first rank of the first job that ended without MPI_Finalize, and not because mpiexec ended it.
  const std::optional<FirstLoss>& first_loss() const { return context_.first_loss; }

 private:
  using Clock = std::chrono::steady_clock;

  int wait_ms(std::optional<std::chrono::milliseconds> longest) const;
  void start_some();
  void on_signals();
  void on_question(int signal);
  void on_end_request(int signal);
  void on_children();
  void on_pmix();
  void on_end_descriptor();
  void on_relays();
  void on_timers();
  void flush_sinks();
  void retire_closed();

  // What ranks ask for: event_loop_spawn.cpp.
  void handle_requests();
  void spawn(RankRequest request);
  void answer_started();
  void refuse(const RankRequest& request, const SpawnError& error);
  void end_spawned();
  void on_retired(const Namespace& job);

  LaunchContext context_;
  const int owner_fd_;
  int signal_fd_;
  int added_ = 0;                                 ///< number of jobs added so far
  std::vector<std::unique_ptr<Namespace>> jobs_;  ///< in the order of their numbers; ended jobs are removed
  std::optional<std::pair<int, int>>
      failed_;  ///< number and status of the removed job with the lowest number that has failed
  bool started_ = false;
  bool timed_out_ = false;
  int requested_ = 0;  ///< the first signal that asked for the end
  bool owner_gone_ = false;
  bool end_descriptor_open_;
  std::vector<RankRequest> requests_;                          ///< not handled yet
  std::vector<std::pair<std::string, RankRequest>> starting_;  ///< spawned jobs whose ranks are being started
  NameService names_;
  std::optional<Clock::time_point> timeout_at_, drop_output_at_;
};

}  // namespace bowline::launcher
