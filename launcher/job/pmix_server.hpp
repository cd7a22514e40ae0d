// SPDX-License-Identifier: BSD-3-Clause
// The PMIx server for the wire-up of the ranks of one node.
#pragma once
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/host_topology.hpp"

namespace bowline::launcher {

/// The description of the job that the ranks' PMIx clients get. Ranks are numbered in this order.
struct JobLayout {
  std::string host;
  std::vector<int> app_of_rank;   ///< index of the program on the command line
  std::vector<std::string> cpus;  ///< per rank, a list such as "0-3,8"; empty: not bound
};

/// A change of one rank's PMIx state, in the order in which it happened.
struct PmixEvent {
  enum class Kind { connected, finalized, aborted } kind;
  int rank;
  int code = 0;                ///< of aborted
  std::string text;            ///< of aborted; may be empty
  std::vector<int> whom = {};  ///< of aborted: the ranks to end; empty: all
};

/// Only one can ever be made per process, and it should live until the process exits, because PMIx cannot be stopped
/// safely. Its callbacks run on PMIx's own thread; a single thread calls the public functions, except post().
class PmixServer {
 public:
  /// `scratch`: an existing directory for PMIx's own files; empty if there is none. `topology` must outlive this
  /// object. Because it is given, PMIx does not search the machine for devices, which takes longer than everything else
  /// that PMIx does. Throws LaunchError.
  PmixServer(const std::filesystem::path& scratch, const Topology& topology);
  ~PmixServer();
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  void register_job(const JobLayout& layout);

  /// The environment variables (NAME=VALUE) that make a process this rank. Throws LaunchError.
  std::vector<std::string> environment(int rank) const;

  /// Readable when take_events() would return events.
  int event_fd() const { return event_fd_; }
  std::vector<PmixEvent> take_events();

  /// Called on PMIx's thread.
  void post(PmixEvent event);

 private:
  int event_fd_;
  std::string scratch_;
  std::string namespace_;
  std::mutex mutex_;  ///< guards events_
  std::vector<PmixEvent> events_;
};

}  // namespace bowline::launcher
