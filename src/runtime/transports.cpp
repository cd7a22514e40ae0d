// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/transports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "base/tunable.hpp"
#include "shm/doorbell.hpp"

namespace bowline::runtime {
namespace {

ChoiceTunable network_reach{"network_reach",
                            {"between_nodes", "everywhere", "never"},
                            "which ranks talk through a network: those on different nodes (and those of one node that "
                            "cannot share memory, if there are several nodes), all, or none"};

std::vector<int> sharing_memory(const wireup::Identity& identity) {
  return Transports::network_only() ? std::vector{identity.rank} : identity.local_ranks;
}

bool needs_network(const wireup::Identity& identity) {
  return network_reach.value() != "never" && sharing_memory(identity).size() < static_cast<std::size_t>(identity.size);
}

}  // namespace

Transports::Transports(wireup::Wireup& wireup, const comm::ProcessTable& processes, const std::string& host,
                       unsigned lanes, const std::function<void()>& sent)
    : wireup_(wireup),
      processes_(processes),
      rank_(wireup.identity().rank),
      local_ranks_(sharing_memory(wireup.identity())),
      remote_(wireup, processes, mutex_) {
  if (local_ranks_.size() > 1) {
    inbox_ = std::make_unique<shm::Inbox>(local_ranks_.size(), lanes);
    addresses_.emplace(wireup_, *inbox_, rank_, local_ranks_);
  }
  if (needs_network(wireup.identity())) {
    sleeper_.emplace();
    networks_.emplace(network_kinds(), network_only() ? transport::Reach::everywhere : transport::Reach::other_nodes,
                      lanes, rank_, wireup.identity().size, host, *sleeper_);
    if (inbox_ != nullptr) {
      inbox_->ring_at(sleeper_->bell());
      sleeper_->announce_to(*inbox_, shm::longest_sleep(std::numeric_limits<int>::max()));
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Devices& devices = *devices_.emplace_back(std::make_unique<Devices>(rank_, sent));
    if (inbox_ != nullptr) devices.shm.emplace(*inbox_, lane, rank_, local_ranks_);
    if (networks_.has_value()) remote_.publish(lane, networks_->address(lane));
  }
}

bool Transports::network_only() noexcept {
  return network_reach.value() == "everywhere";
}

transport::Sleeper* Transports::sleeper() noexcept {
  if (sleeper_.has_value()) return &*sleeper_;
  return inbox_.get();
}

void Transports::add_devices(unsigned lane, proto::Engine& engine) {
  Devices& devices = *devices_[lane];
  if (devices.shm.has_value()) engine.add_device(*devices.shm);
  if (networks_.has_value()) networks_->add_devices(lane, engine);
}

bool Transports::is_local(int rank) const noexcept {
  return std::ranges::binary_search(local_ranks_, rank);
}

std::unique_ptr<transport::Endpoint> Transports::connect(unsigned lane, int rank, proto::Engine& engine) {
  const std::lock_guard hold(mutex_);
  Devices& devices = *devices_[lane];
  if (rank == rank_) {
    engine.add_device(devices.self);
    return devices.self.connect(rank, {});
  }
  if (is_local(rank)) {
    try {
      return devices.shm->connect(rank, addresses_->of(rank));
    } catch (const Error& error) {
      if (error.error_class() == ErrorClass::no_mem) throw;
      if (has_left_here(rank)) return nullptr;
      if (!networks_.has_value()) throw;
      log::info(
          "rank {} is said to run on this node, but shares no memory with this one; messages to it go through "
          "the network: {}",
          rank, error.what());
    }
  }
  if (!networks_.has_value()) throw no_network(rank);
  return through_network(lane, rank);
}

std::unique_ptr<transport::Endpoint> Transports::connect_network(unsigned lane, int rank) {
  const std::lock_guard hold(mutex_);
  return networks_.has_value() ? through_network(lane, rank) : nullptr;
}

transport::RemoteAccess Transports::network_atomics() const noexcept {
  return networks_.has_value() ? networks_->atomics() : transport::RemoteAccess::none;
}

unsigned Transports::network_atomic_lengths() const noexcept {
  return networks_.has_value() ? networks_->atomic_lengths() : 0;
}

/// The caller holds the mutex.
std::unique_ptr<transport::Endpoint> Transports::through_network(unsigned lane, int rank) {
  transport::Address address = remote_.find(lane, rank);
  std::unique_ptr<transport::Endpoint> endpoint = networks_->connect(lane, rank, address);
  remote_.met(lane, rank, std::move(address));
  return endpoint;
}

Error Transports::no_network(int process) const {
  if (!is_of_this_job(process)) {
    return {ErrorClass::other, fmt::format("{} is reached through a network, and this process has none: start the jobs "
                                           "that are to be connected with BOWLINE_NETWORK_REACH=everywhere",
                                           process_name(process))};
  }
  return {ErrorClass::other, fmt::format("rank {} runs on another node, but the tunable network_reach "
                                         "(BOWLINE_NETWORK_REACH) is never: leave it out, or start all ranks "
                                         "on one node",
                                         process)};
}

bool Transports::has_left(int rank) {
  if (rank == rank_ || !is_local(rank)) return false;
  const std::lock_guard hold(mutex_);
  return shm::has_left(addresses_->of(rank));
}

/// The caller holds the mutex.
bool Transports::has_left_here(int rank) noexcept {
  try {
    return shm::has_left(addresses_->of(rank));
  } catch (const std::exception& error) {
    log::info("whether rank {} has left cannot be seen: {}", rank, error.what());
    return false;
  }
}

int Transports::next_remote() const noexcept {
  if (!networks_.has_value()) return -1;
  const int size = wireup_.identity().size;
  int rank = (rank_ + 1) % size;
  while (is_local(rank)) rank = (rank + 1) % size;
  return rank;
}

bool Transports::end_together() const noexcept {
  return networks_.has_value() && !networks_->lost_peers();
}

}  // namespace bowline::runtime
