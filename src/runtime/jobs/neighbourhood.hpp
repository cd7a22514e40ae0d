// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood: processes that share memory with this one: those of its own job on its node, or those of another job
// there to which it is connected. They send to this process through one inbox, in which each has a ring; this process
// sends to them through its ring in their inboxes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"
#include "transport/transport.hpp"

namespace bowline::runtime {

/// Not thread-safe. Its processes are guarded by whoever lists neighbourhoods.
class Neighbourhood {
 public:
  /// The address of a process's inbox. Throws Error; NotYet if another attempt may succeed.
  using AddressOf = std::function<transport::Address(int process)>;

  /// `processes`: the indices of the processes that may send, in ascending order; all of them know this process by the
  /// same number of its ring, `own_number`. Throws Error.
  Neighbourhood(std::vector<int> processes, std::size_t own_number, unsigned lanes);

  /// Sets where the inboxes of the other processes are. To be called before connect() and look_at().
  void find_addresses_by(AddressOf address_of) { address_of_ = std::move(address_of); }

  shm::Inbox& inbox() noexcept { return inbox_; }
  shm::ShmDevice& device(unsigned lane) noexcept { return *devices_[lane]; }
  const std::vector<int>& processes() const noexcept { return processes_; }
  bool has(int process) const noexcept;
  /// The process is no member any more; its ring stays unused.
  void forget(int process) noexcept;
  /// Connects to a process of the neighbourhood. Throws Error if the process does not share memory after all.
  std::unique_ptr<transport::Endpoint> connect(unsigned lane, int process);
  /// What is visible of a process of the neighbourhood without a connection. Throws Error.
  shm::Owner look_at(int process) const { return shm::owner_of(address_of_(process)); }

 private:
  std::vector<int> processes_;
  shm::Inbox inbox_;
  std::vector<std::unique_ptr<shm::ShmDevice>> devices_;  ///< by lane
  AddressOf address_of_;
};

}  // namespace bowline::runtime
