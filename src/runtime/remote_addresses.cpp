// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/remote_addresses.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/process_id.hpp"

namespace bowline::runtime {
namespace {

// Of so many ranks the addresses are asked for at once. Each rank of a node asks its server, so more would take long.
constexpr std::size_t most_kept = 256;

std::string network_key(unsigned lane) {
  return lane == 0 ? "bowline.net" : fmt::format("bowline.net.{}", lane);
}

}  // namespace

void RemoteAddresses::publish(unsigned lane, const transport::Address& address) {
  wireup_.publish(network_key(lane), address);
}

transport::Address RemoteAddresses::find(unsigned lane, int rank) {
  const ProcessId id = processes_[rank];
  const auto told = known_.find({lane, rank});
  if (processes_.is_of_this_job(rank) && (told == known_.end() || wireup_.answers(id)))
    return wireup_.lookup(id, network_key(lane));
  if (told != known_.end()) return told->second;
  throw transport::NotYet(ErrorClass::other, fmt::format("{} has not told its addresses", to_text(id)));
}

/// The caller holds the mutex.
bool RemoteAddresses::is_known(unsigned lane, int rank) {
  return known_.contains({lane, rank}) || (processes_.is_of_this_job(rank) && wireup_.answers(processes_[rank]));
}

void RemoteAddresses::met(unsigned lane, int rank, transport::Address address) {
  if (looks_ahead()) known_.insert_or_assign({lane, rank}, std::move(address));
}

bool RemoteAddresses::known(unsigned lane, int rank) {
  const std::lock_guard hold(mutex_);
  return is_known(lane, rank);
}

transport::Address RemoteAddresses::for_others(unsigned lane, int rank) {
  const std::lock_guard hold(mutex_);
  return is_known(lane, rank) ? find(lane, rank) : transport::Address();
}

void RemoteAddresses::learned(unsigned lane, int rank, std::span<const std::byte> address) {
  const std::lock_guard hold(mutex_);
  known_[{lane, rank}].assign(address.begin(), address.end());
}

void RemoteAddresses::stay_apart(std::span<const int> ranks, unsigned lanes) {
  std::vector<std::string> keys;
  for (unsigned lane = 0; lane < lanes; ++lane) keys.push_back(network_key(lane));
  if (ranks.size() > most_kept) ranks = {};
  wireup_.stay_apart(ranks, keys);
}

void RemoteAddresses::look_ahead(int rank) {
  if (!looks_ahead()) return;
  const std::lock_guard hold(mutex_);
  wireup_.ask(processes_[rank], network_key(0));
}

}  // namespace bowline::runtime
