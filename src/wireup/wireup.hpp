// SPDX-License-Identifier: BSD-3-Clause
// Wireup: who this process is in its job, and how it learns what its peers have published.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bowline::wireup {

/// This process's place in the job. `local_ranks` are the world ranks on this node in ascending order, this one
/// included.
struct Identity {
  int rank = 0;
  int size = 1;
  std::vector<int> local_ranks = {0};
  std::string job;       ///< unique among the jobs that share this node
  int nodes = 1;         ///< on which the job runs
  std::string switches;  ///< above this node, from the widest to the nearest, as in "s0.s2"; empty if not known
};

/// A connection to the launcher, or the stand-in for a process that has none. Not thread-safe.
class Wireup {
 public:
  virtual ~Wireup() = default;

  virtual const Identity& identity() const = 0;
  /// Makes `value` visible to every process of the job under `key`, once exchange() is called. All that a process
  /// publishes, it publishes before.
  virtual void publish(const std::string& key, std::span<const std::byte> value) = 0;
  /// Waits until every process on this node has published. Says and asks nothing beyond the node: what it costs does
  /// not depend on the number of nodes.
  virtual void exchange() = 0;
  /// What `rank` has published under `key`. Waits for a rank of another node that has not called exchange() yet, as
  /// long as the launcher is patient. Only the first call for a rank of another node crosses the network. Throws Error
  /// (MPI_ERR_OTHER) if it has published no such thing, or does not answer.
  virtual std::vector<std::byte> lookup(int rank, const std::string& key) = 0;
  /// Asks the launcher in the background for what lookup() would tell, unless that goes on or has succeeded.
  virtual void ask(int rank, const std::string& key) = 0;
  /// Whether lookup() would answer at once, because ask() has succeeded.
  virtual bool answers(int rank) = 0;
  /// The node on which `rank` runs, from 0 and the same in every process. Asks nobody beyond this node.
  virtual int node_of(int rank) = 0;
  /// How many processes the launcher could start for this job altogether; none if it has not said.
  virtual std::optional<int> universe_size() const = 0;
  /// Which of the programs on the launcher's command line this process runs, from 0; none if it has not said.
  virtual std::optional<int> application() const = 0;
  /// The names of the process sets that the launcher has made; MPI's own are not among them.
  virtual std::vector<std::string> process_sets() const = 0;
  /// The world ranks in a process set; none if there is no such set.
  virtual std::vector<int> members(const std::string& process_set) const = 0;
  /// Ends the processes with these world ranks, this one among them, or all if there are none; launchers that cannot do
  /// that end the whole job. Its exit status will be this one; `text` says why. Returns only if the launcher refuses.
  virtual void abort(int status, const std::string& text, std::span<const int> ranks) = 0;
  /// Tells the launcher that this process has finished its part. Call once, last; in a job on several nodes when no
  /// other process will look up anything of this one any more: Slurm forgets what the ranks of a node have published
  /// when the last of them ends, and who asks for it then waits for as long as the launcher is patient.
  virtual void finalize() = 0;
};

/// Connects to the PMIx server that started this process (srun, prterun, mpiexec), or makes a job of one process if
/// there is none. Throws Error if the environment names a server that does not answer.
std::unique_ptr<Wireup> connect();

// The two implementations, made by connect().
std::unique_ptr<Wireup> make_pmix();
std::unique_ptr<Wireup> make_singleton();

}  // namespace bowline::wireup
