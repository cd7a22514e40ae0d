// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of one job write: from their streams to mpiexec's own output, or to files of theirs.
#pragma once
#include <poll.h>

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/output_channel.hpp"
#include "launcher/job_options.hpp"
#include "launcher/lines.hpp"
#include "launcher/sink.hpp"

namespace bowline::launcher {

/// The streams of the ranks of one job. Not thread-safe.
class RankOutput {
 public:
  using Clock = std::chrono::steady_clock;

  /// What the job does when its output has events.
  struct Handlers {
    std::function<void(const std::string& sentence)> say;
    std::function<void(int rank)> no_consumer;  ///< the rank has written to an output of mpiexec that nobody reads
    std::function<void()> lost;                 ///< a rank's file does not take more, such as on a full disk
  };

  /// `options` and the sinks must outlive this object. `host`: this machine's name; `interactive`: the first stream's
  /// unfinished line is shown after a short silence, as it may be a prompt.
  RankOutput(const Options& options, std::string host, Sink& out, Sink& err, bool interactive, Handlers handlers);
  ~RankOutput();
  RankOutput(const RankOutput&) = delete;
  RankOutput& operator=(const RankOutput&) = delete;

  /// The descriptors to which a rank writes its standard output and error. The caller closes them. Throws LaunchError.
  struct Writers {
    int out, err;
  };
  Writers open(int rank);

  /// Appends an entry for each stream to `fds`.
  void add_to(std::vector<pollfd>& fds) const;
  /// Reads the streams that are ready. `fds`: the entries of add_to().
  void read_ready(std::span<const pollfd> fds);
  /// Reads what a rank wrote before it died, so that it precedes the message about its death. The amount is bounded,
  /// because other processes may still write to its channel; the bound is more than a channel holds.
  void drain(int rank);
  /// Closes all streams, without waiting for processes that still write to them.
  void finish();
  /// Closes the pipes whose bytes `sink`, which has failed, would get. Writers to them get SIGPIPE.
  void close_pipes_to(const Sink& sink);

  /// When on_timer() is to be called; none: never.
  std::optional<Clock::time_point> deadline() const { return prompt_at_; }
  void on_timer(Clock::time_point now);

 private:
  struct Stream {
    int fd;         ///< -1: closed
    bool terminal;  ///< whether the rank's end is a pseudo-terminal
    int file_fd;    ///< a file that gets everything; -1: none
    int rank;
    LineCutter cutter;
    Sink* sink;  ///< nullptr: only the file gets the output
  };

  int open_file(const std::string& path);
  int open_stream(int rank, const char* stream, const std::string& pattern, Sink& sink, bool by_line);
  OutputChannel open_channel(int rank, bool by_line);
  bool read(Stream& stream);
  void finish(Stream& stream);
  void write_file(Stream& stream, std::string_view bytes);

  const Options& options_;
  const std::string host_;
  Sink& out_;
  Sink& err_;
  const bool interactive_;
  const Handlers handlers_;
  std::vector<Stream> streams_;
  std::set<std::string> files_;  ///< names of the files to which ranks write
  bool warned_of_pipe_ = false;
  std::optional<Clock::time_point> prompt_at_;
};

}  // namespace bowline::launcher
