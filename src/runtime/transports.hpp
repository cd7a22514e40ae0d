// SPDX-License-Identifier: BSD-3-Clause
// Transports: the transport to each peer. Processes of one node share memory if a handshake proves that they can. All
// others are reached through the network, which only processes that need it load: at the start, if the job needs it, or
// when this process is first connected to another job.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/flag.hpp"
#include "comm/process_table.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "runtime/jobs/neighbourhood.hpp"
#include "runtime/local_addresses.hpp"
#include "runtime/networks.hpp"
#include "runtime/node_watch/node_watch.hpp"
#include "runtime/remote_addresses.hpp"
#include "shm/inbox.hpp"
#include "transport/descriptor_sleeper.hpp"
#include "transport/self.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

class Transports {
 public:
  /// Makes the devices of every lane and publishes their addresses; `exchange()` of the wire-up must follow. `sent` is
  /// called after every message of the process to itself. Throws Error.
  Transports(wireup::Wireup& wireup, const comm::ProcessTable& processes, const std::string& host, unsigned lanes,
             const std::function<void()>& sent);

  /// The sleeper of this process; nullptr if there are no other processes.
  transport::Sleeper* sleeper() noexcept;
  /// Makes the engine of this lane poll the devices to which peers may send.
  void add_devices(unsigned lane, proto::Engine& engine);
  /// Connects to a peer; nullptr if it has left and cannot be reached any more. If it is lost, the endpoint says so.
  /// Called in any lane, under its lock. Throws Error.
  std::unique_ptr<transport::Endpoint> connect(unsigned lane, int rank, proto::Engine& engine);
  /// Connects through a network, also to a process that shares memory with this process, or to this process itself.
  /// nullptr if there is no network. Called in any lane, under its lock. Throws Error.
  std::unique_ptr<transport::Endpoint> connect_network(unsigned lane, int rank);
  /// What the networks do for atomic operations on the memory of peers.
  transport::RemoteAccess network_atomics() const noexcept;
  /// The lengths of the numbers that these operations update; see transport::Network::atomic_lengths().
  unsigned network_atomic_lengths() const noexcept;
  /// Guards the wire-up, which the lanes share.
  std::mutex& wireup_mutex() noexcept { return mutex_; }
  /// This process stays apart from its launcher. Throws Error.
  void stay_apart(std::size_t lanes);
  /// Whether a process that shares memory with this process has left: it has said good-bye there, or has ended
  /// properly. Called in any lane, under its lock. Throws Error.
  bool has_left(int process);
  /// Whether such a process has ended, and not properly. As has_left().
  bool is_lost(int process);
  /// Looks whether the nodes of processes with which this process is in contact do not answer any more. For jobs that
  /// go on without lost ranks. Called in any lane.
  bool any_cut_off() noexcept { return watches_nodes() && node_watch_->look(); }
  /// Whether that is so for the node of this process.
  bool is_cut_off(int process) const noexcept { return watches_nodes() && node_watch_->is_silent(process); }
  /// Whether a process is reached through the network, as far as that is known: a process of this node may turn out not
  /// to share memory.
  bool is_remote(int process) const noexcept { return has_networks() && !is_local(process); }
  /// The addresses of these ranks. Thread-safe.
  RemoteAddresses& remote_addresses() noexcept { return remote_; }
  int rank() const noexcept { return rank_; }
  bool is_local(int process) const noexcept { return neighbourhood_of(process) != nullptr; }
  bool is_of_this_job(int process) const noexcept { return processes_.is_of_this_job(process); }
  /// Negative for a process of another job.
  int rank_in_job(int process) const noexcept { return is_of_this_job(process) ? process : -1; }
  /// The next rank after the own rank that is reached through the network; rank 0 follows the last rank. Negative if
  /// there is none.
  int next_remote() const noexcept;
  /// The ranks of this job that may share memory with this process, including its own rank, in ascending order.
  const std::vector<int>& local_ranks() const noexcept { return local_ranks_; }
  /// The processes of all jobs that may share memory with this process, in ascending order.
  std::vector<int> local_processes() const;
  /// Whether the user wants all ranks to communicate through a network, and none to share memory.
  static bool network_only() noexcept;
  /// Whether some ranks are reached through the kernel, because there is no adapter that works without the kernel.
  bool through_kernel() const noexcept { return has_networks() && networks_->through_kernel(); }
  /// Tells the processes that share memory with this process how far its end has come.
  void tell_end(shm::End end) noexcept;
  /// Whether the processes must end together: messages may be under way that arrive only while both sides live, and no
  /// peer is known to be lost.
  bool end_together() const noexcept;
  /// Whether that is so among the processes of this job, as long as none of them is lost; the same at all of them.
  bool job_has_networks() const noexcept { return job_has_networks_; }

  // ---- processes of other jobs (jobs/jobs.hpp). The caller holds no lane's lock.

  /// Prepares connections to processes of other jobs: makes a sleeper that those on this node wake, and, unless these
  /// suffice (`only_here`), the networks through which others are reached, as far as this node has some and the user
  /// has not forbidden them. Does nothing if they exist. Throws Error.
  void reach_other_jobs(proto::Lanes& lanes, bool only_here);
  /// This process's addresses in the networks, by lane; empty if it has no network.
  std::vector<transport::Address> network_addresses() const;
  /// Makes an inbox for processes of another job that run on this node; see Neighbourhood. Throws Error.
  Neighbourhood& add_neighbourhood(std::vector<int> processes, std::size_t own_number, proto::Lanes& lanes);
  /// A process to which no lane is connected any more leaves all neighbourhoods. Removes those that are empty then.
  void part_from(int process, proto::Lanes& lanes) noexcept;
  /// Removes a neighbourhood through which no lane is connected to a process.
  void remove_neighbourhood(Neighbourhood& neighbourhood, proto::Lanes& lanes) noexcept;
  /// Makes a process of another job reachable. The process has these addresses in the networks, by lane, and knows this
  /// process by the index `self`. Throws std::bad_alloc.
  void reach(int process, int self, std::span<const transport::Address> networks, proto::Lanes& lanes);

 private:
  Error no_network(int process) const;
  bool has_networks() const noexcept { return has_networks_; }
  bool watches_nodes() const noexcept { return has_networks() && node_watch_.has_value(); }
  shm::Owner look_at(int process);
  shm::Owner end_here(const Neighbourhood& neighbourhood, int process) const noexcept;
  Neighbourhood* neighbourhood_of(int process) const noexcept;
  Neighbourhood& enter(std::unique_ptr<Neighbourhood> neighbourhood);
  void make_networks();
  void announce_to(shm::Inbox& inbox);
  std::unique_ptr<transport::Endpoint> through_network(unsigned lane, int process);
  std::unique_ptr<transport::Endpoint> reached_or_lost(unsigned lane, int process, const transport::Address& address);
  transport::Address network_address(unsigned lane) const;
  static void check_settings(int process, std::span<const std::byte> address);
  void watch_node_of(int process, unsigned lane, std::span<const std::byte> address) noexcept;

  wireup::Wireup& wireup_;
  const comm::ProcessTable& processes_;
  const std::string host_;
  const unsigned lanes_;
  int rank_;
  std::vector<int> local_ranks_;  ///< ranks that may share memory, including this rank, in ascending order
  std::mutex mutex_;              ///< guards the wire-up, which the lanes share
  RemoteAddresses remote_;
  std::optional<transport::DescriptorSleeper> sleeper_;  ///< if there are networks, or other jobs
  std::optional<Networks> networks_;
  std::optional<NodeWatch> node_watch_;  ///< if there are networks, and the system gives a socket
  Flag has_networks_;
  bool job_has_networks_ = false;                ///< whether the networks are those that this job itself needs
  Neighbourhood* own_job_ = nullptr;             ///< the other ranks of this job on this node, if there are any
  std::optional<LocalAddresses> own_addresses_;  ///< the addresses of the local ranks
  mutable std::mutex list_mutex_;                ///< guards neighbourhoods_
  std::vector<std::unique_ptr<Neighbourhood>> neighbourhoods_;
  std::vector<std::unique_ptr<transport::SelfDevice>> self_;  ///< by lane
};

}  // namespace bowline::runtime
