// SPDX-License-Identifier: BSD-3-Clause
// LocalAddresses: the addresses of the inboxes of this node's ranks. The launcher has them all, but answers the
// questions of a node's ranks one after the other. Many ranks therefore publish them in shared memory
// (shm/directory.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/process_id.hpp"
#include "shm/directory.hpp"
#include "shm/inbox.hpp"
#include "transport/transport.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

/// Not thread-safe.
class LocalAddresses {
 public:
  /// With fewer ranks, each asks the launcher about each.
  static constexpr std::size_t fewest_with_directory = 8;

  /// Publishes the address of this process's inbox; `exchange()` of the wire-up must follow. `local_ranks`: the world
  /// ranks of this node in ascending order, `rank` among them. All must outlive the object. Throws Error.
  LocalAddresses(wireup::Wireup& wireup, shm::Inbox& inbox, int rank, const std::vector<int>& local_ranks);

  /// The address of another rank of this node. The first call opens the directory. If that fails, or if the rank has no
  /// entry, the launcher is asked, once about each rank. Throws Error if the launcher does not know the rank.
  transport::Address of(int rank);
  /// Asks now for what of() would ask the launcher later, as far as the launcher knows it.
  void learn_all();

 private:
  std::size_t local_rank(int rank) const noexcept;
  transport::Address ask_once(int rank);
  ProcessId id_of(int rank) const { return {wireup_.identity().job, rank}; }
  void open_directory();

  wireup::Wireup& wireup_;
  shm::Inbox& inbox_;
  int rank_;
  const std::vector<int>& local_ranks_;
  bool opened_;  ///< the directory is open, or opening it has failed, or it is not needed
  std::optional<shm::Directory> directory_;
  /// The launcher's answers, where there is no directory. A process that stays apart from its launcher connects to it
  /// for each question; Slurm's PMIx library takes milliseconds for that and loses 150 KiB of memory.
  std::map<int, transport::Address> answers_;
};

}  // namespace bowline::runtime
