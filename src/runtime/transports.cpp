// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/transports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <thread>
#include <utility>

#include "base/common_settings.hpp"
#include "base/error.hpp"
#include "base/keep_going.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "base/tunable.hpp"
#include "proto/progress_thread.hpp"
#include "runtime/jobs/process_end.hpp"
#include "runtime/report/report.hpp"
#include "runtime/runtime.hpp"
#include "shm/doorbell.hpp"
#include "transport/addresses.hpp"
#include "transport/version.hpp"

namespace bowline::runtime {
namespace {

ChoiceTunable network_reach(TunableTraits(Category::networks).for_users(), "network_reach",
                            {"between_nodes", "everywhere", "never"},
                            "which ranks talk through a network: those on different nodes (and those of one node that "
                            "cannot share memory, if there are several nodes), all, or none");

std::vector<int> sharing_memory(const wireup::Identity& identity) {
  return Transports::network_only() ? std::vector{identity.rank} : identity.local_ranks;
}

/// Among the addresses of the networks, that of the connections by which nodes are watched.
constexpr const char* keepalive = "keepalive";
/// Among them, the digest of the common settings, if these are not at their defaults.
constexpr const char* settings = "settings";

// Of first contact, in jobs that go on without lost ranks.
constexpr int contact_attempts = 3;
constexpr std::chrono::milliseconds between_contact_attempts{250};

bool needs_network(const wireup::Identity& identity) {
  return network_reach.value() != "never" && sharing_memory(identity).size() < static_cast<std::size_t>(identity.size);
}

}  // namespace

Transports::Transports(wireup::Wireup& wireup, const comm::ProcessTable& processes, const std::string& host,
                       unsigned lanes, const std::function<void()>& sent)
    : wireup_(wireup),
      processes_(processes),
      host_(host),
      lanes_(lanes),
      rank_(wireup.identity().rank),
      local_ranks_(sharing_memory(wireup.identity())),
      remote_(wireup, processes, mutex_) {
  for (unsigned lane = 0; lane < lanes; ++lane) self_.push_back(std::make_unique<transport::SelfDevice>(rank_, sent));
  if (local_ranks_.size() > 1) {
    const auto own = std::ranges::lower_bound(local_ranks_, rank_) - local_ranks_.begin();
    own_job_ = &enter(std::make_unique<Neighbourhood>(local_ranks_, static_cast<std::size_t>(own), lanes));
    own_addresses_.emplace(wireup_, own_job_->inbox(), rank_, local_ranks_);
    own_job_->find_addresses_by([this](int rank) { return own_addresses_->of(rank); });
  }
  if (needs_network(wireup.identity())) {
    sleeper_.emplace();
    make_networks();
    job_has_networks_ = true;
    if (own_job_ != nullptr) announce_to(own_job_->inbox());
    for (unsigned lane = 0; lane < lanes; ++lane) remote_.publish(lane, network_address(lane));
  }
}

void Transports::make_networks() {
  networks_.emplace(network_kinds(), network_only() ? transport::Reach::everywhere : transport::Reach::other_nodes,
                    lanes_, rank_, wireup_.identity().size, host_, *sleeper_);
  // Which of these jobs go on is known only when the program has set its error handlers.
  const bool may_go_on = launcher_keeps_going() || wireup_.ends_with_connections();
  try {
    if (may_go_on) node_watch_.emplace();
  } catch (const std::exception& error) {
    log::info("whether other nodes answer is not watched: {}", error.what());
  }
  has_networks_ = true;
}

/// The addresses of this process for its peers.
transport::Address Transports::network_address(unsigned lane) const {
  transport::Address all = networks_->address(lane);
  if (lane == 0 && node_watch_.has_value()) transport::add_address(all, keepalive, node_watch_->address());
  if (const std::uint64_t digest = digest_of_common_settings(); digest != 0)
    transport::add_address(all, settings, std::as_bytes(std::span(&digest, 1)));
  return all;
}

/// Throws Error if the process that has published this address has other common settings.
void Transports::check_settings(int process, std::span<const std::byte> address) {
  std::uint64_t digest = 0;
  const auto found = transport::find_address(address, settings);
  if (found.has_value() && found->size() == sizeof digest) std::memcpy(&digest, found->data(), sizeof digest);
  if (digest != digest_of_common_settings()) throw transport::other_settings(process);
}

/// Notes where the process's node can be watched. `address`: that of the process in this lane.
void Transports::watch_node_of(int process, unsigned lane, std::span<const std::byte> address) noexcept {
  if (!node_watch_.has_value() || (lane != 0 && !this_process().keeps_going())) return;
  try {
    const transport::Address first = lane == 0 ? transport::Address() : remote_.find(0, process);
    const auto found = transport::find_address(lane == 0 ? address : first, keepalive);
    if (found.has_value()) node_watch_->add(process, *found);
    if (this_process().keeps_going()) node_watch_->look();
  } catch (const std::exception& error) {
    log::info("the node of {} is not watched: {}", process_name(process), error.what());
  }
}

/// Makes the processes that send to this inbox wake the sleeper.
void Transports::announce_to(shm::Inbox& inbox) {
  inbox.ring_at(sleeper_->bell());
  sleeper_->announce_to(inbox, shm::longest_sleep(std::numeric_limits<int>::max()));
}

Neighbourhood& Transports::enter(std::unique_ptr<Neighbourhood> neighbourhood) {
  const std::lock_guard hold(list_mutex_);
  return *neighbourhoods_.emplace_back(std::move(neighbourhood));
}

Neighbourhood* Transports::neighbourhood_of(int process) const noexcept {
  const std::lock_guard hold(list_mutex_);
  const auto found = std::ranges::find_if(neighbourhoods_, [&](const auto& each) { return each->has(process); });
  return found == neighbourhoods_.end() ? nullptr : found->get();
}

std::vector<int> Transports::local_processes() const {
  std::vector<int> all = local_ranks_;
  const std::lock_guard hold(list_mutex_);
  for (const auto& each : neighbourhoods_) all.insert(all.end(), each->processes().begin(), each->processes().end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool Transports::network_only() noexcept {
  return network_reach.value() == "everywhere";
}

transport::Sleeper* Transports::sleeper() noexcept {
  if (sleeper_.has_value()) return &*sleeper_;
  return own_job_ == nullptr ? nullptr : &own_job_->inbox();
}

void Transports::add_devices(unsigned lane, proto::Engine& engine) {
  if (own_job_ != nullptr) engine.add_device(own_job_->device(lane));
  if (networks_.has_value()) networks_->add_devices(lane, engine);
}

std::unique_ptr<transport::Endpoint> Transports::connect(unsigned lane, int process, proto::Engine& engine) {
  const std::lock_guard hold(mutex_);
  if (process == rank_) {
    engine.add_device(*self_[lane]);
    return Report::counted(process, "itself", self_[lane]->connect(process, {}));
  }
  if (Neighbourhood* const near = neighbourhood_of(process)) {
    try {
      return Report::counted(process, "shared memory", near->connect(lane, process));
    } catch (const transport::NotYet&) {
      throw;
    } catch (const Error& error) {
      if (error.error_class() == ErrorClass::no_mem) throw;
      const shm::Owner owner = end_here(*near, process);
      if (owner == shm::Owner::left) return nullptr;
      if (owner == shm::Owner::gone) return proto::make_no_endpoint(false);
      if (!has_networks()) throw;
      log::info(
          "{} is said to run on this node, but shares no memory with this one; messages to it go through the network: "
          "{}",
          process_name(process), error.what());
    }
  }
  if (!has_networks()) throw no_network(process);
  return through_network(lane, process);
}

std::unique_ptr<transport::Endpoint> Transports::connect_network(unsigned lane, int process) {
  const std::lock_guard hold(mutex_);
  return has_networks() ? through_network(lane, process) : nullptr;
}

transport::RemoteAccess Transports::network_atomics() const noexcept {
  return has_networks() ? networks_->atomics() : transport::RemoteAccess::none;
}

unsigned Transports::network_atomic_lengths() const noexcept {
  return has_networks() ? networks_->atomic_lengths() : 0;
}

/// The caller holds the mutex.
std::unique_ptr<transport::Endpoint> Transports::through_network(unsigned lane, int process) {
  if (is_cut_off(process))
    return proto::make_no_endpoint(false, fmt::format("cannot be reached any more ({})", NodeWatch::why()));
  transport::Address address = remote_.find(lane, process);
  check_settings(process, address);
  watch_node_of(process, lane, address);
  std::unique_ptr<transport::Endpoint> endpoint = this_process().keeps_going()
                                                      ? reached_or_lost(lane, process, address)
                                                      : networks_->connect(lane, process, address);
  remote_.met(lane, process, std::move(address));
  return endpoint;
}

/// Where nobody ends the job for it, a process to which there is no way after a few attempts is a lost one. The calling
/// lane waits for half a second at most, which only a process costs that refuses the connection.
std::unique_ptr<transport::Endpoint> Transports::reached_or_lost(unsigned lane, int process,
                                                                 const transport::Address& address) {
  for (int left = contact_attempts;; --left) {
    try {
      return networks_->connect(lane, process, address);
    } catch (const Error& error) {
      if (error.error_class() == ErrorClass::no_mem) throw;
      if (told_lost(rank_in_job(process))) return proto::make_no_endpoint(false);
      if (left == 1)
        return proto::make_no_endpoint(false, fmt::format("cannot be reached any more ({})", error.what()));
    }
    std::this_thread::sleep_for(between_contact_attempts);
  }
}

Error Transports::no_network(int process) const {
  if (!is_of_this_job(process)) {
    return {ErrorClass::other,
            fmt::format("{} runs on another node, and this process has no network: start the jobs that are to be "
                        "connected on nodes that have one, and without BOWLINE_NETWORK_REACH=never",
                        process_name(process))};
  }
  return {ErrorClass::other, fmt::format("rank {} runs on another node, but the tunable network_reach "
                                         "(BOWLINE_NETWORK_REACH) is never: leave it out, or start all ranks "
                                         "on one node",
                                         process)};
}

void Transports::stay_apart(std::size_t lanes) {
  std::vector<int> remote;
  for (int rank = 0; has_networks() && rank < wireup_.identity().size; ++rank) {
    if (!std::ranges::binary_search(local_ranks_, rank)) remote.push_back(rank);
  }
  const std::lock_guard hold(mutex_);
  if (own_addresses_) own_addresses_->learn_all();
  remote_.stay_apart(remote, static_cast<unsigned>(lanes));
  any_cut_off();  // from now on
}

shm::Owner Transports::look_at(int process) {
  if (process == rank_) return shm::Owner::there;
  const Neighbourhood* const near = neighbourhood_of(process);
  if (near == nullptr) return shm::Owner::there;
  const std::lock_guard hold(mutex_);
  return near->look_at(process);
}

bool Transports::has_left(int process) {
  const shm::Owner owner = look_at(process);
  return owner == shm::Owner::left || (owner == shm::Owner::gone && has_ended_properly(rank_in_job(process)));
}

bool Transports::is_lost(int process) {
  return look_at(process) == shm::Owner::gone && !has_ended_properly(rank_in_job(process));
}

/// How a process to which there is no way has ended; `gone`: it is lost. The caller holds the mutex.
shm::Owner Transports::end_here(const Neighbourhood& neighbourhood, int process) const noexcept {
  try {
    const shm::Owner owner = neighbourhood.look_at(process);
    return owner == shm::Owner::gone && has_ended_properly(rank_in_job(process)) ? shm::Owner::left : owner;
  } catch (const std::exception& error) {
    log::info("whether {} has left cannot be seen: {}", process_name(process), error.what());
    return shm::Owner::there;
  }
}

int Transports::next_remote() const noexcept {
  if (!has_networks()) return -1;
  const int size = wireup_.identity().size;
  int rank = (rank_ + 1) % size;
  while (std::ranges::binary_search(local_ranks_, rank)) rank = (rank + 1) % size;
  return rank;
}

void Transports::tell_end(shm::End end) noexcept {
  const std::lock_guard hold(list_mutex_);
  for (const auto& each : neighbourhoods_) each->inbox().tell_end(end);
}

bool Transports::end_together() const noexcept {
  return has_networks() && !networks_->lost_peers();
}

// ---- processes of other jobs

void Transports::reach_other_jobs(proto::Lanes& lanes, bool only_here) {
  if (!sleeper_.has_value()) {
    sleeper_.emplace();
    if (own_job_ != nullptr) announce_to(own_job_->inbox());
  }
  const bool beyond = !only_here || network_only();
  if (beyond && !has_networks() && network_reach.value() != "never") {
    try {
      make_networks();
    } catch (const Error& error) {
      log::info("processes of other jobs are reached through no network: {}", error.what());
    }
    for (unsigned lane = 0; has_networks() && lane < lanes_; ++lane) {
      const LockGuard hold(lanes[lane].lock());
      networks_->add_devices(lane, lanes[lane]);
    }
  }
  lanes.sleep_at(*sleeper_);
  proto::ProgressThread::network_added();
}

std::vector<transport::Address> Transports::network_addresses() const {
  std::vector<transport::Address> by_lane;
  for (unsigned lane = 0; has_networks() && lane < lanes_; ++lane) by_lane.push_back(network_address(lane));
  return by_lane;
}

Neighbourhood& Transports::add_neighbourhood(std::vector<int> processes, std::size_t own_number, proto::Lanes& lanes) {
  Neighbourhood& added = enter(std::make_unique<Neighbourhood>(std::move(processes), own_number, lanes_));
  announce_to(added.inbox());
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const LockGuard hold(lanes[lane].lock());
    lanes[lane].add_device(added.device(lane));
  }
  return added;
}

void Transports::part_from(int process, proto::Lanes& lanes) noexcept {
  const auto next_empty = [this]() -> Neighbourhood* {
    const std::lock_guard hold(list_mutex_);
    const auto empty =
        std::ranges::find_if(neighbourhoods_, [](const auto& each) { return each->processes().empty(); });
    return empty == neighbourhoods_.end() ? nullptr : empty->get();
  };
  {
    const std::lock_guard hold(list_mutex_);
    for (const auto& each : neighbourhoods_) each->forget(process);
  }
  while (Neighbourhood* const empty = next_empty()) remove_neighbourhood(*empty, lanes);
}

void Transports::remove_neighbourhood(Neighbourhood& neighbourhood, proto::Lanes& lanes) noexcept {
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const LockGuard hold(lanes[lane].lock());
    lanes[lane].remove_device(neighbourhood.device(lane));
  }
  sleeper_->forget(neighbourhood.inbox());
  const std::lock_guard hold(list_mutex_);
  std::erase_if(neighbourhoods_, [&](const auto& each) { return each.get() == &neighbourhood; });
}

void Transports::reach(int process, int self, std::span<const transport::Address> networks, proto::Lanes& lanes) {
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    remote_.learned(lane, process, lane < networks.size() ? networks[lane] : transport::Address());
    proto::Engine& engine = lanes[lane];
    const LockGuard hold(engine.lock());
    if (has_networks()) networks_->known_as(lane, process, self);
    engine.farewells().meets(process);
  }
}

}  // namespace bowline::runtime
