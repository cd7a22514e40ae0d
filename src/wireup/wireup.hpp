// SPDX-License-Identifier: BSD-3-Clause
// Wireup: the identity of this process in its job, and access to the keys that its peers publish.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/process_id.hpp"
#include "wireup/spawning.hpp"

namespace bowline::wireup {

/// This process's place in the job. `local_ranks`: the world ranks on this node, including this one, in ascending
/// order.
struct Identity {
  int rank = 0;
  int size = 1;
  std::vector<int> local_ranks = {0};
  std::string job;  ///< unique among the jobs that share this node
  int nodes = 1;    ///< number of nodes of the job
  std::string
      switches;  ///< switches above this node, from the widest to the nearest, as in "s0.s2"; empty if not known
};

/// A connection to the launcher, or the stand-in for a process that has none. Not thread-safe.
class Wireup {
 public:
  virtual ~Wireup() = default;

  virtual const Identity& identity() const = 0;
  /// Makes `value` visible to every process of the job under `key`, once exchange() is called. To be called before
  /// exchange().
  virtual void publish(const std::string& key, std::span<const std::byte> value) = 0;
  /// Waits until every process on this node has published. It does not communicate beyond the node, so its cost does
  /// not depend on the number of nodes.
  virtual void exchange() = 0;
  /// What a process has published under `key`. If a rank of another node has not called exchange() yet, lookup() waits
  /// for that rank until the launcher's timeout. Only the first call for a rank of another node crosses the network.
  /// Throws Error (MPI_ERR_OTHER) if the rank has not published the key, or if there is no answer.
  virtual std::vector<std::byte> lookup(const ProcessId& of, const std::string& key) = 0;
  /// Starts lookup() in the background, unless that is pending or has succeeded.
  virtual void ask(const ProcessId& of, const std::string& key) = 0;
  /// Whether lookup() would return at once, because ask() has succeeded.
  virtual bool answers(const ProcessId& of) = 0;
  /// The number of the node of a rank of this job, from 0, equal in every process. Does not communicate beyond this
  /// node.
  virtual int node_of(int rank) = 0;
  /// The number of processes that the launcher could start for this job in all; none if unknown.
  virtual std::optional<int> universe_size() const = 0;
  /// The index, from 0, of this process's program on the launcher's command line; none if unknown.
  virtual std::optional<int> application() const = 0;
  /// The names of the process sets that the launcher has made, without the sets that MPI itself defines.
  virtual std::vector<std::string> process_sets() const = 0;
  /// The world ranks in a process set; none if there is no such set.
  virtual std::vector<int> members(const std::string& process_set) const = 0;
  /// Starts processes of a new job. Each finds `port`, the name of the port at which this process awaits them, in
  /// ParentPort::variable. Returns when they are about to run. Several threads may call spawn() at once. Throws
  /// SpawnFailure.
  virtual std::unique_ptr<SpawnedJob> spawn(std::span<const Program> programs, const std::string& port) = 0;
  /// Ends these processes, which include this one, or all of this job if the list is empty; launchers that cannot end
  /// some processes only end the whole job. The job's exit status becomes `status`; `text` gives the reason. Returns
  /// only if the launcher refuses.
  virtual void abort(int status, const std::string& text, std::span<const ProcessId> processes) = 0;
  /// Tells the launcher that this process has finished, and ends the connection. No function but identity() and
  /// reconnect() may follow. In a job on several nodes no other process may look up a key of this process afterwards:
  /// when the last rank of a node ends, Slurm forgets the keys of that node's ranks, and a later lookup waits until the
  /// launcher's timeout.
  virtual void finalize() = 0;
  /// Connects again after finalize(), which must follow once more; what this process has published stays. Throws Error.
  virtual void reconnect() = 0;
  /// Whether the launcher ends the job when it loses the connection to a process, unless that process stays apart. All
  /// processes of a job get the same answer.
  virtual bool ends_with_connections() const { return false; }
  /// From now on this process is connected to such a launcher only while it asks something, so that it may be lost and
  /// the job goes on. All other functions may follow. Before that it looks up these keys of these ranks, as far as they
  /// are published soon, so that it need not ask for them later. Throws Error.
  virtual void stay_apart(std::span<const int> ranks, std::span<const std::string> keys) {
    static_cast<void>(ranks), static_cast<void>(keys);
  }
};

/// Connects to the PMIx server that started this process (srun, prterun, mpiexec), or to its PMI server (srun
/// --mpi=pmi2, Hydra, Flux); launchers.hpp says which. If there is none, meets the other processes of
/// BOWLINE_RENDEZVOUS (rendezvous/rendezvous.hpp), or makes a job of one process. Throws Error if the environment names
/// a server that does not answer, or if there is none for the several processes of a launcher and
/// BOWLINE_SINGLETON=error forbids to go on.
std::unique_ptr<Wireup> connect();

// Two implementations, made by connect().
std::unique_ptr<Wireup> make_pmix();
std::unique_ptr<Wireup> make_singleton();

}  // namespace bowline::wireup
