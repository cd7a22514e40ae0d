// SPDX-License-Identifier: BSD-3-Clause
// Answers the ranks' requests for names: what others have published, and what mpiexec itself tells of spawned jobs.
#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/spawn/name_store.hpp"
#include "launcher/spawn/rank_request.hpp"

namespace bowline::launcher {

/// Publish, unpublish and lookup for all jobs of one mpiexec. Keys of mpiexec's own, which every rank can look up:
///
///   bowline.spawn-error    why the last spawn of the asking process has failed: "INDEX SENTENCE", where the index is
///                          that of the program at fault, or -1; a lookup never waits for it
///   bowline.end.NAMESPACE  once the spawned job has ended, for which a lookup waits: "STATUS SENTENCE", the sentence
///                          being empty if the job has ended well
///
/// The ends of spawned jobs are kept until the job that has spawned them ends, at most most_ends of them for each.
/// Not thread-safe.
class NameService {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most_ends = 1024;

  /// Answers a request that is no SpawnRequest, at once or later.
  void handle(RankRequest request, Clock::time_point now);

  /// The process's last request for a job has failed (`error`), or not.
  void set_spawn_error(const RankId& process, std::optional<std::string> error);
  /// `token`: what may stand in place of NAMESPACE in the key of the job's end; empty: nothing else.
  void on_spawned(const std::string& job, const std::string& spawner, const std::string& token = "");
  void on_process_end(const RankId& process);
  /// `end`: the text for lookups.
  void on_job_end(const std::string& job, const std::string& end);

  /// When on_timer() is to be called; none: never.
  std::optional<Clock::time_point> deadline() const;
  void on_timer(Clock::time_point now);

 private:
  struct Waiting {
    RankRequest request;
    LookupRequest lookup;
    std::optional<Clock::time_point> until;
  };
  /// A spawned job.
  struct Spawned {
    std::string spawner;             ///< empty: ended
    std::optional<std::string> end;  ///< none: it runs
    std::string token;
  };

  std::optional<Answer> look_up(const RankId& reader, const LookupRequest& lookup);
  std::optional<std::string> own_value(std::string_view key, const RankId& reader) const;
  const Spawned* spawned_job(std::string_view key) const;
  void keep_end(const std::string& job);
  void settle();

  NameStore store_;
  std::list<Waiting> waiting_;  ///< in the order of their requests
  std::map<RankId, std::string> spawn_errors_;
  std::map<std::string, Spawned, std::less<>> spawned_;
  std::map<std::string, std::deque<std::string>> ended_of_;  ///< names of the ended jobs of each spawner, oldest first
};

}  // namespace bowline::launcher
