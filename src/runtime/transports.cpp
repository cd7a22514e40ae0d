// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/transports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "shm/doorbell.hpp"
#include "transport/faulty.hpp"

namespace bowline::runtime {
namespace {

ChoiceTunable ucx_use{"ucx",
                      {"between_nodes", "everywhere", "never"},
                      "which ranks talk through UCX: those on different nodes (and those of one node that cannot share "
                      "memory, if there are several nodes), all, or none"};

Tunable<std::size_t> faults_seed{
    "inject_faults", 0, 0, (std::size_t{1} << 32) - 1,
    "for tests: the seed of random faults between nodes. Messages are held back, overtaken by those of other ranks, or "
    "refused at first and sent again; all arrive. 0: no faults"};

constexpr const char* shm_key = "bowline.shm";

std::string ucx_key(unsigned lane) {
  return lane == 0 ? "bowline.ucx" : fmt::format("bowline.ucx.{}", lane);
}

std::vector<int> sharing_memory(const wireup::Identity& identity) {
  return Transports::network_only() ? std::vector{identity.rank} : identity.local_ranks;
}

bool needs_network(const wireup::Identity& identity) {
  return ucx_use.value() != "never" && sharing_memory(identity).size() < static_cast<std::size_t>(identity.size);
}

}  // namespace

Transports::Transports(wireup::Wireup& wireup, const std::string& host, unsigned lanes,
                       const std::function<void()>& sent)
    : wireup_(wireup), rank_(wireup.identity().rank), local_ranks_(sharing_memory(wireup.identity())) {
  if (local_ranks_.size() > 1) {
    inbox_ = std::make_unique<shm::Inbox>(local_ranks_.size(), lanes);
    wireup_.publish(shm_key, inbox_->address());
  }
  if (needs_network(wireup.identity())) {
    network_ = ucx::make_network(lanes, network_only() ? ucx::Reach::everywhere : ucx::Reach::other_nodes);
    sleeper_.emplace();
    if (inbox_ != nullptr) {
      inbox_->ring_at(sleeper_->bell());
      sleeper_->announce_to(*inbox_, shm::longest_sleep(std::numeric_limits<int>::max()));
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Devices& devices = *devices_.emplace_back(std::make_unique<Devices>(rank_, sent));
    if (inbox_ != nullptr) devices.shm.emplace(*inbox_, lane, rank_, local_ranks_);
    if (network_ == nullptr) continue;
    devices.network = network_->make_device(rank_, wireup.identity().size, host);
    if (faults_seed.value() != 0) inject_faults(lane);
    sleeper_->watch(devices.network->descriptor());
    wireup_.publish(ucx_key(lane), devices.network->address());
  }
}

bool Transports::network_only() noexcept {
  return ucx_use.value() == "everywhere";
}

void Transports::inject_faults(unsigned lane) {
  Devices& devices = *devices_[lane];
  std::seed_seq mixture{static_cast<unsigned>(faults_seed.value()), static_cast<unsigned>(rank_), lane};
  std::array<std::uint32_t, 1> seed{};
  mixture.generate(seed.begin(), seed.end());
  devices.beneath_faults = std::move(devices.network);
  devices.network = std::make_unique<transport::FaultyDevice>(*devices.beneath_faults, seed[0]);
}

transport::Sleeper* Transports::sleeper() noexcept {
  if (sleeper_.has_value()) return &*sleeper_;
  return inbox_.get();
}

void Transports::add_devices(unsigned lane, proto::Engine& engine) {
  Devices& devices = *devices_[lane];
  if (devices.shm.has_value()) engine.add_device(*devices.shm);
  if (devices.network != nullptr) engine.add_device(*devices.network);
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
      return devices.shm->connect(rank, wireup_.lookup(rank, shm_key));
    } catch (const Error& error) {
      if (network_ == nullptr || error.error_class() == ErrorClass::no_mem) throw;
      log::info(
          "rank {} is said to run on this node, but shares no memory with this one; messages to it go through "
          "UCX: {}",
          rank, error.what());
    }
  }
  if (network_ == nullptr) {
    throw Error(ErrorClass::other, fmt::format("rank {} runs on another node, but the tunable ucx (BOWLINE_UCX) is "
                                               "never: leave it out, or start all ranks on one node",
                                               rank));
  }
  const auto known = known_.find({lane, rank});
  const bool launcher_knows = known == known_.end() || wireup_.answers(rank);
  transport::Address address = launcher_knows ? wireup_.lookup(rank, ucx_key(lane)) : known->second;
  std::unique_ptr<transport::Endpoint> endpoint = devices.network->connect(rank, address);
  if (looks_ahead()) known_.insert_or_assign({lane, rank}, std::move(address));
  return endpoint;
}

bool Transports::approachable(unsigned lane, int rank) {
  if (network_ == nullptr || is_local(rank)) return false;
  const std::lock_guard hold(mutex_);
  return wireup_.answers(rank) || known_.contains({lane, rank});
}

transport::Address Transports::address(unsigned lane, int rank) {
  if (network_ == nullptr || is_local(rank)) return {};
  const std::lock_guard hold(mutex_);
  if (wireup_.answers(rank)) return wireup_.lookup(rank, ucx_key(lane));
  const auto known = known_.find({lane, rank});
  return known == known_.end() ? transport::Address() : known->second;
}

void Transports::learned(unsigned lane, int rank, std::span<const std::byte> address) {
  const std::lock_guard hold(mutex_);
  known_[{lane, rank}].assign(address.begin(), address.end());
}

void Transports::look_ahead() {
  const int next = (rank_ + 1) % wireup_.identity().size;
  if (!looks_ahead() || is_local(next)) return;
  const std::lock_guard hold(mutex_);
  wireup_.ask(next, ucx_key(0));
}

int Transports::next_remote() const noexcept {
  if (network_ == nullptr) return -1;
  const int size = wireup_.identity().size;
  int rank = (rank_ + 1) % size;
  while (is_local(rank)) rank = (rank + 1) % size;
  return rank;
}

bool Transports::end_together() const noexcept {
  return network_ != nullptr &&
         std::ranges::none_of(devices_, [](const auto& devices) { return devices->network->lost_peers() > 0; });
}

}  // namespace bowline::runtime
