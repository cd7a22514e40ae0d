// SPDX-License-Identifier: BSD-3-Clause
#include "shm/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "shm/endpoint.hpp"

namespace bowline::shm {
namespace {

// How much one poll takes from one producer before it looks at the others.
constexpr int records_per_poll = 16;

std::size_t index_of(const std::vector<int>& ranks, int rank) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

}  // namespace

ShmDevice::ShmDevice(Inbox& inbox, unsigned lane, int rank, std::vector<int> local_ranks)
    : inbox_(inbox),
      lane_(lane),
      local_ranks_(std::move(local_ranks)),
      my_local_rank_(index_of(local_ranks_, rank)),
      header_(inbox.open_section(lane)),
      adopted_(local_ranks_.size()) {}

transport::Address ShmDevice::address() const {
  return inbox_.address();
}

std::unique_ptr<transport::Endpoint> ShmDevice::connect(int peer, const transport::Address& address) {
  InboxAddress theirs;
  if (address.size() != sizeof theirs) {
    throw Error(ErrorClass::intern,
                fmt::format("rank {} published a shared-memory address of {} bytes, expected {}: do "
                            "all ranks run the same version of Bowline?",
                            peer, address.size(), sizeof theirs));
  }
  std::memcpy(&theirs, address.data(), sizeof theirs);
  return std::make_unique<ShmEndpoint>(theirs, lane_, my_local_rank_, peer);
}

unsigned ShmDevice::poll(transport::Sink& sink) {
  if (header().connections.load(std::memory_order_acquire) != connections_seen_) [[unlikely]]
    adopt_new_producers();
  unsigned delivered = 0;
  for (Inbound& inbound : inbound_) {
    const auto deliver = [&](transport::Header header, auto prefix, auto body) {
      sink.arrived(inbound.peer, header, prefix, body);
    };
    for (int budget = records_per_poll; budget > 0 && inbound.ring.pop(deliver); --budget) ++delivered;
  }
  return delivered;
}

void ShmDevice::adopt_new_producers() {
  connections_seen_ = header().connections.load(std::memory_order_acquire);
  for (std::size_t local = 0; local < local_ranks_.size(); ++local) {
    const std::uint64_t bits = header().connected[local / 64].load(std::memory_order_acquire);
    if (adopted_[local] || ((bits >> (local % 64)) & 1) == 0) continue;
    node::Mapping memory = inbox_.map_ring(lane_, local);
    RingConsumer ring(memory.data(), inbox_.lines());
    inbound_.push_back({ring, local_ranks_[local], std::move(memory)});
    adopted_[local] = true;
  }
}

bool ShmDevice::ready() noexcept {
  if (header().connections.load(std::memory_order_acquire) != connections_seen_) return true;
  return std::ranges::any_of(inbound_, [](const Inbound& inbound) { return inbound.ring.ready(); });
}

}  // namespace bowline::shm
