// SPDX-License-Identifier: BSD-3-Clause
// Runs the ranks of one job, from the first fork to the last byte of output.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/binding.hpp"
#include "launcher/host_topology.hpp"
#include "launcher/job/output_channel.hpp"
#include "launcher/job/pmix_server.hpp"
#include "launcher/job/rank_waits.hpp"
#include "launcher/job/relays.hpp"
#include "launcher/job_options.hpp"
#include "launcher/limits.hpp"
#include "launcher/lines.hpp"
#include "launcher/sink.hpp"

namespace bowline::launcher {

struct Failure;

/// A checked command line, and the values that were looked up for it.
struct Job {
  Options options;
  std::vector<std::string> programs;  ///< path of the executable, per app
  std::string host;                   ///< this machine's name
  std::filesystem::path scratch;      ///< private directory; empty if none can be made
};

/// What the supervising process passes to the job's process.
struct Link {
  int owner_fd;      ///< at end of file when the supervising process is gone
  int stdin_fd;      ///< standard input of rank 0
  bool interactive;  ///< input comes from a terminal: prompts are shown before their line ends
};

/// One event loop over the start of ranks, signals, PMIx events and output. The calling thread must have the signals of
/// signals.hpp blocked and be a subreaper; all ranks and their descendants are gone when run() returns.
class JobRunner {
 public:
  /// Prepares the job as far as that is possible without a rank: may take long. Throws LaunchError.
  JobRunner(const Job& job, const Link& link);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Returns the exit status for mpiexec. Throws LaunchError; ranks may then still run.
  int run();

 private:
  using Clock = std::chrono::steady_clock;

  struct Rank {
    pid_t pid = -1;
    bool alive = false;
    bool initialized = false;  ///< between PMIx_Init and PMIx_Finalize
    bool finalized = false;    ///< after PMIx_Finalize
    bool aborted = false;      ///< an abort has already explained its end

    RankStage stage() const {
      if (pid < 0) return RankStage::unstarted;
      if (!alive) return RankStage::ended;
      return finalized ? RankStage::finalized : initialized ? RankStage::initialized : RankStage::started;
    }
  };
  /// What is left to be started.
  struct Start {
    JobLayout layout;
    BindingPlan plan;
    std::size_t next = 0;  ///< the ranks below it have been started
  };
  struct Stream {
    int fd;         ///< -1: closed
    bool terminal;  ///< its other end is a pseudo-terminal
    int file_fd;    ///< a file that gets everything; -1: none
    int rank;
    LineCutter cutter;
    Sink* sink;  ///< nullptr: the file alone gets it
  };

  void prepare_start();
  void start_some();
  void start_rank(int rank, int app, const Binding& binding);
  int input_of(int rank) const;
  int open_file(const std::string& path);
  int open_output(int rank, const char* stream, const std::string& pattern, Sink& sink, bool by_line);
  OutputChannel open_channel(int rank, bool by_line);
  void show_map(const JobLayout& layout, const BindingPlan& plan);
  void report(const Binding& binding, int rank);

  void poll_once();
  int wait_ms();
  void on_signals();
  void forward(int signal);
  void give_up_start();
  void on_children();
  void on_exit(int rank, int status);
  void note_result(const Failure& failure);
  void on_pmix();
  void on_abort(const PmixEvent& event);
  void judge_abort();
  std::vector<int> victims(const PmixEvent& event) const;
  void end_some(const PmixEvent& event, const std::vector<int>& ranks);
  void on_timers();
  void time_out();
  std::vector<std::string> waits() const;
  bool read_stream(Stream& stream);
  void drain(int rank);
  void write_file(Stream& stream, std::string_view bytes);
  void finish_stream(Stream& stream);
  void flush_sinks();
  void stop_writers(const Sink& sink);

  void end_job(int status, const std::string& sentence);
  void kill_at(Clock::duration from_now);
  void signal_ranks(int signal);
  int alive() const;
  void say(const std::string& sentence);
  void tell_of_other_libraries();
  bool finished();

  const Job& job_;
  const Link link_;
  const rlimit open_files_;  ///< the limit of the ranks; that of this process is raised
  int signal_fd_ = -1, null_fd_ = -1;
  Sink out_, err_;
  Topology topology_;
  CoreClaims claims_;
  PmixServer pmix_;
  Relays relays_;
  std::optional<RankWaits> board_;  ///< if somebody will want to know what ranks wait for
  std::optional<Start> start_;      ///< until every rank is started, or the job is to end before that
  std::vector<Rank> ranks_;
  std::vector<Stream> streams_;
  std::set<std::string> files_;  ///< names of the files to which ranks write

  std::optional<int> status_;       ///< set by the first failure
  std::optional<int> result_;       ///< set by the first failed rank that leaves the others running
  std::optional<PmixEvent> abort_;  ///< the first; it sets the status unless another rank's death is its cause
  int forwarded_ = 0;               ///< the signal that asked the ranks to end
  bool owner_gone_ = false;
  bool ending_leftovers_ = false;
  bool drained_ = false;
  bool warned_of_pipe_ = false;
  std::optional<Clock::time_point> timeout_at_, kill_at_, drop_output_at_, prompt_at_, judge_at_, judge_until_,
      kill_some_at_;
};

}  // namespace bowline::launcher
