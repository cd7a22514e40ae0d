// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/local_addresses.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"

namespace bowline::runtime {
namespace {

constexpr const char* key = "bowline.shm";

}  // namespace

LocalAddresses::LocalAddresses(wireup::Wireup& wireup, shm::Inbox& inbox, int rank, const std::vector<int>& local_ranks)
    : wireup_(wireup),
      inbox_(inbox),
      rank_(rank),
      local_ranks_(local_ranks),
      opened_(local_ranks.size() < fewest_with_directory) {
  // The first ranks that ask this rank must find its directory.
  if (!opened_ && rank == local_ranks.front()) {
    directory_.emplace(inbox, local_ranks.size());
    directory_->enter(0, inbox.address());
    opened_ = true;
  }
  wireup.publish(key, inbox.address());
}

std::size_t LocalAddresses::local_rank(int rank) const noexcept {
  return static_cast<std::size_t>(std::ranges::lower_bound(local_ranks_, rank) - local_ranks_.begin());
}

void LocalAddresses::open_directory() {
  opened_ = true;
  const int lowest = local_ranks_.front();
  try {
    directory_ = shm::Directory::open(wireup_.lookup(id_of(lowest), key), local_ranks_.size());
    if (directory_.has_value()) {
      directory_->enter(local_rank(rank_), inbox_.address());
    } else {
      log::info("cannot open the shared memory of rank {} through /proc, and asks the launcher about all ranks",
                lowest);
    }
  } catch (const std::exception& error) {
    log::info("cannot use the list of addresses of rank {}, and asks the launcher about all ranks: {}", lowest,
              error.what());
  }
}

transport::Address LocalAddresses::ask_once(int rank) {
  if (const auto known = answers_.find(rank); known != answers_.end()) return known->second;
  return answers_.emplace(rank, wireup_.lookup(id_of(rank), key)).first->second;
}

transport::Address LocalAddresses::of(int rank) {
  if (!opened_) open_directory();
  if (!directory_.has_value()) return ask_once(rank);
  const std::size_t local = local_rank(rank);
  if (auto known = directory_->find(local)) return *std::move(known);
  transport::Address address = wireup_.lookup(id_of(rank), key);
  directory_->enter(local, address);
  return address;
}

void LocalAddresses::learn_all() {
  for (const int rank : local_ranks_) {
    try {
      if (rank != rank_) of(rank);
    } catch (const Error& error) {
      log::info("does not know the inbox of rank {} yet: {}", rank, error.what());
    }
  }
}

}  // namespace bowline::runtime
