// SPDX-License-Identifier: BSD-3-Clause
// The PMIx server of one node. Each job is a namespace of it.
#pragma once
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/host_topology.hpp"
#include "launcher/job/job_layout.hpp"
#include "launcher/job/rank_id.hpp"
#include "launcher/spawn/rank_request.hpp"

namespace bowline::launcher {

/// A change of one rank's PMIx state. The server reports the changes in the order in which they happened.
struct PmixEvent {
  enum class Kind { connected, finalized, aborted } kind;
  RankId of;
  int code = 0;                   ///< of aborted
  std::string text;               ///< of aborted; may be empty
  std::vector<RankId> whom = {};  ///< of aborted: the ranks to end, of any job; empty: all of the caller's job
};

/// A name for a namespace that no other process can guess: PMIx does not verify the user id that a client claims, so
/// the name, which only the ranks know, keeps other users of the machine out.
std::string new_namespace_name();

/// Only one server can ever be made per process, and it should live until the process exits, because PMIx cannot be
/// stopped safely. Its callbacks run on PMIx's own thread; a single thread calls the public functions, except post().
///
/// The ranks of all its namespaces may read each other's keys. A fence is a matter of the ranks that take part in it,
/// whichever namespaces they belong to.
class PmixServer {
 public:
  /// `scratch`: an existing directory for PMIx's own files; empty if there is none. `topology` must outlive this
  /// object. Because the topology is given, PMIx does not search the machine for devices, which takes longer than
  /// everything else that PMIx does. `keep_going`: jobs go on when ranks are lost (pmix_losses.hpp). Throws
  /// LaunchError.
  PmixServer(const std::filesystem::path& scratch, const Topology& topology, bool keep_going);
  ~PmixServer();
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  /// Makes a namespace, whose ranks can connect when register_job() returns. Other namespaces may have running ranks.
  /// Throws LaunchError.
  void register_job(const std::string& name, const JobLayout& layout);
  /// Forgets a namespace whose ranks have all ended, with the keys that they published: ranks of other namespaces that
  /// have not read them get PMIX_ERR_NOT_FOUND. Throws LaunchError.
  void deregister_job(const std::string& name);

  /// The environment variables (NAME=VALUE) by which a process becomes this rank of a registered job. Throws
  /// LaunchError.
  std::vector<std::string> environment(const std::string& name, int rank) const;

  /// Readable when take_events() or take_requests() would return something. take_events() ends that, so it is to be
  /// called first.
  int event_fd() const { return event_fd_; }
  std::vector<PmixEvent> take_events();
  std::vector<RankRequest> take_requests();

  /// Called on PMIx's thread.
  void post(PmixEvent event);
  void post(RankRequest request);

 private:
  void wake() const;

  int event_fd_;
  std::string scratch_;
  std::mutex mutex_;  ///< guards the lists
  std::vector<PmixEvent> events_;
  std::vector<RankRequest> requests_;
};

}  // namespace bowline::launcher
