// SPDX-License-Identifier: BSD-3-Clause
// RemoteAddresses: the addresses of ranks that are reached through the network. The launcher tells them, or another
// process where the launcher must not be asked (proto/services/address_search.hpp). Processes of other jobs tell their
// own when the jobs are connected (jobs/contact.hpp).
#pragma once

#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "comm/process_table.hpp"
#include "transport/transport.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

/// One object per process, for all threads: a function takes the mutex itself unless its comment says that the caller
/// holds it.
class RemoteAddresses {
 public:
  /// `mutex` guards the wire-up. All arguments must outlive this object.
  RemoteAddresses(wireup::Wireup& wireup, const comm::ProcessTable& processes, std::mutex& mutex)
      : wireup_(wireup), processes_(processes), mutex_(mutex) {}

  /// Tells the launcher the addresses of this process's devices in this lane. `exchange()` of the wire-up must follow.
  void publish(unsigned lane, const transport::Address& address);
  /// The addresses to which to connect; asks the launcher, and waits for its answer, unless only another process can
  /// tell them. The caller holds the mutex. Throws Error; NotYet if a process of another job has not told them.
  transport::Address find(unsigned lane, int rank);
  /// This process is in contact with the rank under these addresses. The caller holds the mutex.
  void met(unsigned lane, int rank, transport::Address address);
  /// Whether find() would not wait for the launcher.
  bool known(unsigned lane, int rank);
  /// The addresses as far as they are known, for processes that ask; empty if they are not.
  transport::Address for_others(unsigned lane, int rank);
  /// Records addresses that another process has sent.
  void learned(unsigned lane, int rank, std::span<const std::byte> address);

  /// Whether ranks may be alone on their nodes. Slurm's PMIx server does not outlive such a rank and does not answer
  /// later, so each process looks ahead: it asks for the next rank's address at the start, and remembers the addresses
  /// of ranks that it has met.
  bool looks_ahead() const noexcept { return wireup_.identity().size < 2 * wireup_.identity().nodes; }
  /// Has the wire-up stay apart from its launcher (wireup::Wireup::stay_apart()). The addresses of these ranks in the
  /// first `lanes` lanes are then known, unless there are too many. The caller holds the mutex. Throws Error.
  void stay_apart(std::span<const int> ranks, unsigned lanes);
  /// Starts the lookup of this rank's address in the background. To be called after exchange().
  void look_ahead(int rank);

 private:
  bool is_known(unsigned lane, int rank);

  wireup::Wireup& wireup_;
  const comm::ProcessTable& processes_;
  std::mutex& mutex_;
  /// By lane and rank: the addresses that other processes have sent and, if the processes look ahead, the addresses of
  /// ranks that were met.
  std::map<std::pair<unsigned, int>, transport::Address> known_;
};

}  // namespace bowline::runtime
